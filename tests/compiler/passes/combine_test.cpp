// Passes that remove C++'s detours and keep what the source says: PlainCombine, SwitchesToTests.

#include <llvm/IR/PassManager.h>

#include <catch2/catch.hpp>
#include <string>

#include "hls/compiler/passes/plain_combine.h"
#include "hls/compiler/passes/switches_to_tests.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

std::string combined(const std::string& text) {
  Ir ir(text);
  llvm::FunctionAnalysisManager analyses;
  PlainCombine::run(ir.function(), analyses);
  return ir.body();
}

TEST_CASE("PlainCombine compares an enum at its own width") {
  CHECK(combined(R"(
define i1 @f(i3 %target) {
  %wide = zext i3 %target to i32
  %is_load = icmp eq i32 %wide, 1
  ret i1 %is_load
})") == "%is_load = icmp eq i3 %target, 1\nret i1 %is_load\n");
}

TEST_CASE("PlainCombine drops an equality that another comparison covers") {
  CHECK(combined(R"(
define i1 @f(i8 %a, i8 %b) {
  %eq = icmp eq i8 %a, %b
  %ge = icmp uge i8 %a, %b
  %either = select i1 %eq, i1 true, i1 %ge
  ret i1 %either
})") == "%ge = icmp uge i8 %a, %b\nret i1 %ge\n");
  CHECK(combined(R"(
define i1 @f(i8 %a, i8 %b) {
  %eq = icmp eq i8 %a, %b
  %gt = icmp ugt i8 %a, %b
  %either = select i1 %eq, i1 true, i1 %gt
  ret i1 %either
})") == "%eq = icmp eq i8 %a, %b\n%gt = icmp ugt i8 %a, %b\n"
        "%either = select i1 %eq, i1 true, i1 %gt\nret i1 %either\n");
}

TEST_CASE("PlainCombine shifts by a power of two on either side of a product") {
  for (const std::string product : {"%wide, 4", "4, %wide"}) {
    INFO(product);
    CHECK(combined(R"(
define i4 @f(i3 %x) {
  %wide = zext i3 %x to i4
  %product = mul i4 )" +
                   product + R"(
  ret i4 %product
})") == "%wide = zext i3 %x to i4\n%product = shl i4 %wide, 2\nret i4 %product\n");
  }
}

TEST_CASE("PlainCombine leaves nothing of a remainder by one") {
  CHECK(combined(R"(
define i2 @f(i2 %x) {
  %wide = zext i2 %x to i5
  %product = mul i5 4, %wide
  %shifted = lshr i5 %product, 2
  %quotient = trunc i5 %shifted to i2
  %rest = sub i2 %x, %quotient
  ret i2 %rest
})") == "ret i2 0\n");
}

TEST_CASE("PlainCombine makes one comparison of a three-way one") {
  CHECK(combined(R"(
define i1 @f(i8 %a, i8 %b) {
  %lt = icmp ult i8 %a, %b
  %eq = icmp eq i8 %a, %b
  %below = select i1 %lt, i8 -1, i8 1
  %order = select i1 %eq, i8 0, i8 %below
  %le = icmp sle i8 %order, 0
  ret i1 %le
})") == "%le = icmp ule i8 %a, %b\nret i1 %le\n");
}

TEST_CASE("PlainCombine takes a bool out of the byte that held it") {
  CHECK(combined(R"(
define i1 @f(i1 %c) {
  %number = select i1 %c, i32 1, i32 0
  %byte = trunc i32 %number to i8
  %bit = trunc i8 %byte to i1
  ret i1 %bit
})") == "ret i1 %c\n");
}

TEST_CASE("PlainCombine reads a field of a word that was passed in halves") {
  CHECK(combined(R"(
define i8 @f(i128 %word) {
  %low = trunc i128 %word to i64
  %shifted = lshr i128 %word, 64
  %high = trunc i128 %shifted to i64
  %low_half = zext i64 %low to i128
  %wide = zext i64 %high to i128
  %high_half = shl i128 %wide, 64
  %both = or disjoint i128 %high_half, %low_half
  %moved = lshr i128 %both, 40
  %field = trunc i128 %moved to i8
  ret i8 %field
})")
            .find("or disjoint") == std::string::npos);
}

TEST_CASE("PlainCombine reads alternatives as they are written") {
  CHECK(combined(R"(
define i1 @f(i1 %a, i1 %b, i1 %c) {
  %or = select i1 %b, i1 true, i1 %c
  %x = select i1 %a, i1 %or, i1 %c
  ret i1 %x
})") == "%1 = select i1 %a, i1 %b, i1 false\n%x = select i1 %1, i1 true, i1 %c\nret i1 %x\n");
}

TEST_CASE("PlainCombine negates no conjunction") {
  const std::string text =
      "%not_a = xor i1 %a, true\n"
      "%not_b = xor i1 %b, true\n"
      "%x = select i1 %not_a, i1 %not_b, i1 false\n"
      "ret i1 %x\n";
  CHECK(combined("define i1 @f(i1 %a, i1 %b) {\n" + text + "}") == text);
}

TEST_CASE("PlainCombine keeps the tests of two fields of a word apart") {
  const std::string text =
      "%low = trunc i16 %word to i8\n"
      "%is_one = icmp eq i8 %low, 1\n"
      "%shifted = lshr i16 %word, 12\n"
      "%high = trunc i16 %shifted to i4\n"
      "%is_zero = icmp eq i4 %high, 0\n"
      "%x = and i1 %is_one, %is_zero\n"
      "ret i1 %x\n";
  CHECK(combined("define i1 @f(i16 %word) {\n" + text + "}") == text);
}

TEST_CASE("SwitchesToTests tests each way once, in the order of the cases") {
  Ir ir(R"(
define i8 @f(i3 %phase) {
entry:
  switch i3 %phase, label %rest [ i3 2, label %one
                                  i3 0, label %two
                                  i3 1, label %two ]
one:
  br label %rest
two:
  br label %rest
rest:
  %x = phi i8 [ 7, %entry ], [ 1, %one ], [ 2, %two ]
  ret i8 %x
})");
  llvm::FunctionAnalysisManager analyses;
  SwitchesToTests::run(ir.function(), analyses);
  const std::string body = ir.body();
  INFO(body);
  CHECK(body.find("switch") == std::string::npos);
  CHECK(body.find("icmp eq i3 %phase, 2") < body.find("icmp eq i3 %phase, 0"));
  CHECK(body.find("icmp eq i3 %phase, 0") < body.find("icmp eq i3 %phase, 1"));
  CHECK(body.find("slt") == std::string::npos);
}

TEST_CASE("SwitchesToTests takes the last way untested where nothing else is left") {
  Ir ir(R"(
define i8 @f(i1 %c) {
entry:
  switch i1 %c, label %never [ i1 false, label %one
                               i1 true, label %two ]
one:
  ret i8 1
two:
  ret i8 2
never:
  unreachable
})");
  llvm::FunctionAnalysisManager analyses;
  SwitchesToTests::run(ir.function(), analyses);
  CHECK(ir.body().find("icmp eq i1 %c, true") == std::string::npos);
}

}  // namespace
}  // namespace systole::tests
