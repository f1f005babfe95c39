// Parts of passes: promote_locals, unroll_marked and its limit, Cells.

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Passes/PassBuilder.h>

#include <catch2/catch.hpp>

#include "hls/compiler/checks/unroll_limit.h"
#include "hls/compiler/ir/cells.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/passes/unroll.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

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

TEST_CASE("promote_locals takes a fill of the bytes that an odd width has") {
  Ir ir(R"(
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define i33 @f(i33 %x, i1 %full) {
entry:
  %local = alloca i40, align 8
  br i1 %full, label %then, label %else
then:
  store i33 %x, ptr %local
  br label %join
else:
  call void @llvm.memset.p0.i64(ptr %local, i8 0, i64 5, i1 false)
  store i40 0, ptr %local
  br label %join
join:
  %z = load i33, ptr %local
  ret i33 %z
})");
  promote_locals(ir.function());
  CHECK(ir.body().find("alloca") == std::string::npos);
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

TEST_CASE("unroll_marked unrolls a marked loop") {
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
  CHECK(refusal_of(counting("1000000"), check_limit).find("this loop of 1000000 iterations") !=
        std::string::npos);
  CHECK(refusal_of(counting("-1"), check_limit).find("is unrolled") != std::string::npos);
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
