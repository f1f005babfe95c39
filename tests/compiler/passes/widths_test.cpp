// Passes that choose how many bits a value has: exact_widths, narrow, expand_intrinsics.

#include <catch2/catch.hpp>

#include "hls/compiler/passes/exact_widths.h"
#include "hls/compiler/passes/expand_intrinsics.h"
#include "hls/compiler/passes/narrow.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

TEST_CASE("exact_widths reads and writes a 28-bit integer with 28 bits") {
  Ir ir(R"(
define void @f(ptr %p, ptr %q) {
  %wide = load i32, ptr %p
  %x = trunc i32 %wide to i28
  %storedv = zext i28 %x to i32
  store i32 %storedv, ptr %q
  ret void
})");
  exact_widths(ir.function());
  CHECK(ir.body() ==
        "%x = load i28, ptr %p, align 4\n"
        "store i28 %x, ptr %q, align 4\n"
        "ret void\n");
}

TEST_CASE("exact_widths keeps an access whose other bits somebody uses") {
  const std::string text = R"(
define i32 @f(ptr %p) {
  %wide = load i32, ptr %p
  %x = trunc i32 %wide to i28
  %y = sext i28 %x to i32
  %z = add i32 %y, %wide
  ret i32 %z
})";
  Ir ir(text);
  const std::string before = ir.body();
  exact_widths(ir.function());
  CHECK(ir.body() == before);
}

TEST_CASE("narrow computes only the bits that are used") {
  Ir ir(R"(
define void @f() {
  %a = call i8 @hls.read_port.i8_32_64(i32 0, i64 0)
  %b = call i8 @hls.read_port.i8_32_64(i32 1, i64 0)
  %c = zext i8 %a to i64
  %d = zext i8 %b to i64
  %sum = add i64 %c, %d
  %y = trunc i64 %sum to i8
  call void @hls.write_port._32_64_8(i32 0, i64 0, i8 %y)
  ret void
})");
  narrow(ir.function());
  CHECK(ir.body().find("add i8 %a, %b") != std::string::npos);
  CHECK(ir.body().find("i64 %") == std::string::npos);
}

TEST_CASE("narrow reads a test of one masked bit as that bit") {
  Ir ir(R"(
define i1 @f(i29 %x) {
  %m = and i29 %x, 16
  %n = icmp ne i29 %m, 0
  ret i1 %n
})");
  narrow(ir.function());
  CHECK(ir.body().find("icmp") == std::string::npos);
  CHECK(ir.body().find("lshr i29 %x, 4") != std::string::npos);
}

TEST_CASE("expand_intrinsics writes counts of ones and zeros out") {
  for (const char* call :
       {"call i4 @llvm.ctpop.i4(i4 %x)", "call i4 @llvm.ctlz.i4(i4 %x, i1 false)",
        "call i4 @llvm.cttz.i4(i4 %x, i1 true)"}) {
    Ir ir(std::string("declare i4 @llvm.ctpop.i4(i4)\ndeclare i4 @llvm.ctlz.i4(i4, i1)\n"
                      "declare i4 @llvm.cttz.i4(i4, i1)\ndefine i4 @f(i4 %x) {\n  %n = ") +
          call + "\n  ret i4 %n\n}\n");
    expand_intrinsics(ir.function());
    INFO(ir.body());
    CHECK(ir.body().find("call") == std::string::npos);
  }
}

}  // namespace
}  // namespace systole::tests
