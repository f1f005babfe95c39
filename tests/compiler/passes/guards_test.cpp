// The pass that puts registers under the conditions on which they change: guard_registers.

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "hls/compiler/passes/guard_registers.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

std::string own(int leaf) {
  return fmt::format("%own{0} = call i8 @hls.read_register.i8_32_64(i32 {0}, i64 0)\n", leaf);
}

std::string write(int leaf, const std::string& value) {
  return fmt::format("call void @hls.write_register._32_64_8(i32 {}, i64 0, i8 {})\n", leaf, value);
}

std::string guarded(const std::string& body) {
  Ir ir("define void @f(i1 %c, i1 %d, i1 %e, i8 %a, i8 %b) {\n" + body + "ret void\n}");
  guard_registers(ir.function());
  return ir.body();
}

TEST_CASE("guard_registers computes what a register needs alone where it changes") {
  CHECK(guarded(own(0) +
                "%sum = add i8 %a, %b\n"
                "%value = select i1 %c, i8 %sum, i8 %own0\n" +
                write(0, "%value")) == own(0) +
                                           "br i1 %c, label %1, label %2\n"
                                           "1:\n"
                                           "%sum = add i8 %a, %b\n" +
                                           write(0, "%sum") +
                                           "br label %3\n"
                                           "2:\n"
                                           "br label %3\n"
                                           "3:\n"
                                           "ret void\n");
}

TEST_CASE("guard_registers leaves what two branches need in front of them") {
  const std::string body = guarded(own(0) + own(1) +
                                   "%sum = add i8 %a, %b\n"
                                   "%first = select i1 %c, i8 %sum, i8 %own0\n"
                                   "%second = select i1 %d, i8 %sum, i8 %own1\n" +
                                   write(0, "%first") + write(1, "%second"));
  CHECK(body.find("%sum = add") < body.find("br i1 %c"));
  CHECK(body.find("br i1 %c") < body.find("br i1 %d"));
}

TEST_CASE("guard_registers takes a condition that registers share around their own ones") {
  const std::string body = guarded(own(0) + own(1) +
                                   "%both = and i1 %c, %d\n"
                                   "%other = and i1 %c, %e\n"
                                   "%first = select i1 %both, i8 %a, i8 %own0\n"
                                   "%second = select i1 %other, i8 %b, i8 %own1\n" +
                                   write(0, "%first") + write(1, "%second"));
  CHECK(body.find("and i1") == std::string::npos);
  CHECK(body.find("br i1 %c") < body.find("br i1 %d"));
  CHECK(body.find("br i1 %d") < body.find("br i1 %e"));
  CHECK(body.find("br i1 %c") == body.rfind("br i1 %c"));
}

TEST_CASE("guard_registers leaves a choice between two new values that cost nothing") {
  const std::string body = "%value = select i1 %c, i8 %a, i8 %b\n" + write(0, "%value");
  CHECK(guarded(body) == body + "ret void\n");
}

}  // namespace
}  // namespace systole::tests
