// Passes that turn control flow into values: flatten, select_joins, lower_switches, lift_outputs,
// SettleCounters.

#include <llvm/Passes/PassBuilder.h>

#include <catch2/catch.hpp>

#include "hls/compiler/passes/flatten.h"
#include "hls/compiler/passes/lift_outputs.h"
#include "hls/compiler/passes/select_joins.h"
#include "hls/compiler/passes/settle_counters.h"
#include "hls/compiler/passes/simplify.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

void settle_counters(llvm::Function& function) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  SettleCounters::run(function, functions);
}

const std::string kDiamond = R"(
define i8 @f(i1 %c, i8 %a, i8 %b) {
entry:
  br i1 %c, label %then, label %else
then:
  %sum = add i8 %a, 1
  br label %join
else:
  br label %join
join:
  %x = phi i8 [ %sum, %then ], [ %b, %else ]
  ret i8 %x
})";

TEST_CASE("flatten turns branches into choices in one block") {
  Ir ir(kDiamond);
  flatten(ir.function());
  CHECK(ir.body() ==
        "flat:\n"
        "%sum = add i8 %a, 1\n"
        "%x = select i1 %c, i8 %sum, i8 %b\n"
        "ret i8 %x\n");
}

TEST_CASE("flatten leaves one block as it is") {
  Ir ir("define i8 @f(i8 %a) {\n  ret i8 %a\n}");
  flatten(ir.function());
  CHECK(ir.body() == "ret i8 %a\n");
}

TEST_CASE("flatten refuses a loop that is left") {
  CHECK(refusal_of(R"(
define i8 @f(i8 %n) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %next = add i8 %i, 1
  %more = icmp ult i8 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret i8 %i
})",
                   flatten)
            .find("this loop has no constant bound") != std::string::npos);
}

TEST_CASE("flatten refuses an effect under a condition") {
  CHECK(refusal_of(R"(
define void @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %then, label %join
then:
  call void @hls.write_register._32_64_8(i32 0, i64 0, i8 %a)
  br label %join
join:
  ret void
})",
                   flatten)
            .find("this effect is under a condition") != std::string::npos);
}

TEST_CASE("select_joins chooses among more than two arms and leaves effects in them") {
  Ir ir(R"(
define i8 @f(i1 %c, i1 %d, i8 %a, i8 %b) {
entry:
  br i1 %c, label %one, label %other
one:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
  br label %join
other:
  br i1 %d, label %two, label %join
two:
  br label %join
join:
  %x = phi i8 [ 1, %one ], [ %b, %other ], [ %a, %two ]
  ret i8 %x
})");
  select_joins(ir.function());
  INFO(ir.body());
  CHECK(ir.body().find("phi") == std::string::npos);
  CHECK(ir.body().find("select i1 %d, i8 %a, i8 %b") != std::string::npos);
  CHECK(ir.body().find("one:\ncall void @hls.store._32_64_8(i32 0, i64 0, i8 %a)\n") !=
        std::string::npos);
}

TEST_CASE("select_joins keeps a value that an arm reads behind its own write") {
  Ir ir(R"(
define i8 @f(i1 %c, i8 %a) {
entry:
  br i1 %c, label %one, label %join
one:
  call void @hls.store._32_64_8(i32 0, i64 0, i8 %a)
  %v = call i8 @hls.load.i8_32_64(i32 0, i64 0)
  br label %join
join:
  %x = phi i8 [ %v, %one ], [ 0, %entry ]
  ret i8 %x
})");
  select_joins(ir.function());
  CHECK(ir.body().find("phi") != std::string::npos);
}

TEST_CASE("lower_switches leaves branches only") {
  Ir ir(R"(
define i8 @f(i8 %x) {
entry:
  switch i8 %x, label %other [ i8 0, label %zero i8 7, label %seven ]
zero:
  ret i8 1
seven:
  ret i8 2
other:
  ret i8 3
})");
  lower_switches(ir.function());
  CHECK(ir.body().find("switch") == std::string::npos);
  CHECK(ir.body().find("br i1") != std::string::npos);
}

TEST_CASE("lift_outputs computes what an output reads in front of the loop that reads it, too") {
  Ir ir(R"(
define void @f(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %near = add i8 %a, 1
  %shown = xor i8 %near, 5
  %next = add i8 %i, 1
  %own = add i8 %near, %next
  %more = icmp ult i8 %next, 4
  br i1 %more, label %loop, label %end
end:
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %shown)
  call void @hls.write_port._32_64_8(i32 1, i64 0, i8 %own)
  ret void
})");
  lift_outputs(ir.function());
  const std::string body = ir.body();
  CHECK(body.find("%shown = ") < body.find("loop:"));
  CHECK(body.find("%near = ") < body.find("%shown = "));
  CHECK(body.find("%own = ") > body.find("loop:"));
}

TEST_CASE("SettleCounters gives what is read behind a loop its constant and drops an empty loop") {
  Ir ir(R"(
define void @f(i8 %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 3
  br i1 %more, label %loop, label %end
end:
  %last = trunc i32 %i to i8
  %sum = add i8 %last, %a
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %sum)
  ret void
})");
  settle_counters(ir.function());
  CHECK(ir.body() ==
        "entry:\n"
        "%sum = add i8 2, %a\n"
        "call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %sum)\n"
        "ret void\n");
}

}  // namespace
}  // namespace systole::tests
