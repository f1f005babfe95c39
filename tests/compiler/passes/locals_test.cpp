// Passes that turn memory and calls into values: tidy, inline_marked, inline_late_calls, cells, and
// the loops that are written out.

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

#include <catch2/catch.hpp>

#include "hls/compiler/checks/unroll_limit.h"
#include "hls/compiler/ir/cells.h"
#include "hls/compiler/passes/inline_late_calls.h"
#include "hls/compiler/passes/simplify.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

TEST_CASE("tidy makes locals values, also one that is written and read in pieces") {
  Ir ir(R"(
define i8 @f(i16 %a) {
  %local = alloca i16
  store i16 %a, ptr %local
  %high = getelementptr i8, ptr %local, i64 1
  %x = load i8, ptr %high
  ret i8 %x
})");
  tidy(ir.function());
  INFO(ir.body());
  CHECK(ir.body().find("alloca") == std::string::npos);
  CHECK(ir.body().find("lshr i16 %a, 8") != std::string::npos);
}

TEST_CASE("tidy chooses between two reads rather than two pointers") {
  Ir ir(R"(
define i8 @f(i1 %c, ptr %p, ptr %q) {
  %which = select i1 %c, ptr %p, ptr %q
  %x = load i8, ptr %which
  ret i8 %x
})");
  tidy(ir.function());
  INFO(ir.body());
  CHECK(ir.body().find("select i1 %c, i8") != std::string::npos);
  CHECK(ir.body().find("select i1 %c, ptr") == std::string::npos);
}

TEST_CASE("tidy drops what is only expected") {
  Ir ir(R"(
declare i64 @llvm.expect.i64(i64, i64)
define i64 @f(i64 %x) {
  %y = call i64 @llvm.expect.i64(i64 %x, i64 1)
  ret i64 %y
})");
  tidy(ir.function());
  CHECK(ir.body() == "ret i64 %x\n");
}

TEST_CASE("promote_locals keeps every branch, so that a guard stays one") {
  Ir ir(R"(
define i8 @f(i8 %x, i8 %n) {
entry:
  %local = alloca i8
  store i8 0, ptr %local
  %fits = icmp ult i8 %n, 8
  br i1 %fits, label %then, label %join
then:
  %y = shl i8 %x, %n
  store i8 %y, ptr %local
  br label %join
join:
  %z = load i8, ptr %local
  ret i8 %z
})");
  promote_locals(ir.function());
  CHECK(ir.body().find("alloca") == std::string::npos);
  CHECK(ir.body().find("br i1 %fits, label %then, label %join") != std::string::npos);
}

TEST_CASE("inline_marked brings marked functions in and leaves the others") {
  Ir ir(R"(
define i8 @marked(i8 %x) alwaysinline {
  %y = add i8 %x, 1
  ret i8 %y
}
define i8 @other(i8 %x) noinline {
  ret i8 %x
}
define i8 @f(i8 %x) {
  %a = call i8 @marked(i8 %x)
  %b = call i8 @other(i8 %a)
  ret i8 %b
})");
  inline_marked(ir.module());
  CHECK(ir.body().find("@marked") == std::string::npos);
  CHECK(ir.body().find("@other") != std::string::npos);
}

const std::string kLate = R"(
define i8 @leaf(i8 %x) {
  ret i8 %x
}
define i8 @loop(i8 %x) {
  %y = call i8 @loop(i8 %x)
  ret i8 %y
}
define i8 @edge(i8 %x) {
  ret i8 %x
}
define i8 @f(i8 %x) {
  %a = call i8 @leaf(i8 %x)
  %b = call i8 @loop(i8 %a)
  %c = call i8 @edge(i8 %b)
  ret i8 %c
})";

TEST_CASE("inline_late_calls leaves recursion and the edges") {
  Ir ir(kLate);
  const auto stays = [](const llvm::Function& callee) { return callee.getName() == "edge"; };
  CHECK(inline_late_calls(ir.function(), stays));
  CHECK(ir.body() ==
        "%b = call i8 @loop(i8 %x)\n"
        "%c = call i8 @edge(i8 %b)\n"
        "ret i8 %c\n");
  CHECK_FALSE(inline_late_calls(ir.function(), stays));
}

/// A loop that stores its counter, 0 to turns - 1.
std::string counting(const std::string& turns) {
  return R"(
define void @f() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %v = trunc i64 %i to i8
  call void @hls.store._32_64_8(i32 0, i64 %i, i8 %v)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, )" +
         turns + R"(
  br i1 %more, label %loop, label %end, !llvm.loop !0
end:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.unroll.full"})";
}

TEST_CASE("unroll_marked writes a marked loop out") {
  Ir ir(counting("3"));
  unroll_marked(ir.function());
  tidy(ir.function());
  CHECK(ir.body() ==
        "entry:\n"
        "call void @hls.store._32_64_8(i32 0, i64 0, i8 0)\n"
        "call void @hls.store._32_64_8(i32 0, i64 1, i8 1)\n"
        "call void @hls.store._32_64_8(i32 0, i64 2, i8 2)\n"
        "ret void\n");
}

void check_limit(llvm::Function& function) {
  llvm::FunctionAnalysisManager analyses;
  llvm::PassBuilder().registerFunctionAnalyses(analyses);
  auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  check_unroll_limit(**analyses.getResult<llvm::LoopAnalysis>(function).begin(), evolution);
}

TEST_CASE("check_unroll_limit refuses a loop that would fill a chip") {
  CHECK(refusal_of(counting("1000"), check_limit).empty());
  CHECK(refusal_of(counting("1000000"), check_limit).find("this loop of 1000000 turns") !=
        std::string::npos);
  CHECK(refusal_of(counting("-1"), check_limit).find("is written out") != std::string::npos);
}

TEST_CASE("Cells reads a register once at the start and writes it once at the end") {
  Ir ir(R"(
define void @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %then, label %join
then:
  call void @hls.store._32_64_8(i32 3, i64 2, i8 %a)
  br label %join
join:
  %v = call i8 @hls.load.i8_32_64(i32 3, i64 2)
  %w = add i8 %v, 1
  call void @hls.store._32_64_8(i32 3, i64 2, i8 %w)
  ret void
})");
  Cells cells(ir.function());
  std::vector<llvm::CallInst*> calls;
  for (llvm::BasicBlock& block : ir.function()) {
    for (llvm::Instruction& one : block) {
      if (auto* call = llvm::dyn_cast<llvm::CallInst>(&one)) calls.push_back(call);
    }
  }
  for (llvm::CallInst* call : calls) {
    cells.replace(*call, !call->getType()->isVoidTy(), Operation::kReadRegister,
                  Operation::kWriteRegister);
  }
  cells.finish();
  const std::string body = ir.body();
  INFO(body);
  CHECK(body.find("hls.load") == std::string::npos);
  CHECK(body.find("hls.store") == std::string::npos);
  CHECK(body.find("call i8 @hls.read_register.i8_32_64(i32 3, i64 2)") != std::string::npos);
  CHECK(body.find("%w = add i8 %.0, 1\n"
                  "call void @hls.write_register._32_64_8(i32 3, i64 2, i8 %w)\n"
                  "ret void\n") != std::string::npos);
}

}  // namespace
}  // namespace systole::tests
