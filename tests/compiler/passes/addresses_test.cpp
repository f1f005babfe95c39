// Passes that turn pointers into leaves and elements: decode, place_of, lower_accesses.

#include <llvm/IR/Instructions.h>

#include <catch2/catch.hpp>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/lower/lower_module.h"
#include "hls/compiler/passes/lower_accesses.h"
#include "tests/compiler/passes/ir.h"

namespace systole::tests {
namespace {

using namespace systole::compiler;

/// struct State { i8 lone; i8 matrix[2][3]; }
const std::vector<Leaf> kState = {{.name = "lone",
                                   .offset_bytes = 0,
                                   .size_bytes = 1,
                                   .width = 8,
                                   .dimensions = {},
                                   .position = ""},
                                  {.name = "matrix",
                                   .offset_bytes = 1,
                                   .size_bytes = 6,
                                   .width = 8,
                                   .dimensions = {{2, 3}, {3, 1}},
                                   .position = ""}};
const std::string kType = "%State = type { i8, [2 x [3 x i8]] }\n";

std::optional<Place> place(const std::string& step) {
  Ir ir(kType + "define ptr @f(ptr %s, i64 %i) {\n  %p = getelementptr " + step +
        "\n  ret ptr %p\n}");
  llvm::Function& function = ir.function();
  const Address address = decode(&function.getEntryBlock().front(), ir.module().getDataLayout());
  if (address.base != function.getArg(0)) return std::nullopt;
  std::optional<Place> found = place_of(address, kState);
  if (found && !found->terms.empty() && found->terms[0].first != function.getArg(1)) return {};
  return found;
}

TEST_CASE("place_of finds the element that a constant address names") {
  const auto lone = place("%State, ptr %s, i32 0, i32 0");
  REQUIRE(lone);
  CHECK(lone->leaf == 0);
  const auto element = place("%State, ptr %s, i32 0, i32 1, i64 1, i64 2");
  REQUIRE(element);
  CHECK(element->leaf == 1);
  CHECK(element->element == 5);
  CHECK(place("i8, ptr %s, i64 4")->element == 3);  // also where only bytes are left
}

TEST_CASE("place_of keeps a variable index as a term") {
  const auto row = place("%State, ptr %s, i32 0, i32 1, i64 %i, i64 2");
  REQUIRE(row);
  CHECK(row->leaf == 1);
  CHECK(row->element == 2);
  REQUIRE(row->terms.size() == 1);
  CHECK(row->terms[0].second == 3);
}

TEST_CASE("place_of finds nothing outside of the struct") {
  CHECK_FALSE(place("i8, ptr %s, i64 7"));
  CHECK_FALSE(place("i8, ptr %s, i64 -1"));
}

/// A clock() of State with one port each way, lowered.
struct Lowered {
  Ir ir;
  LoweredModule module;
  explicit Lowered(const std::string& body)
      : ir(kType + "define void @f(ptr sret(i8) %out, ptr %self, ptr %in) {\n" + body + "}\n") {
    module.clock = &ir.function();
    module.state = kState;
    const Leaf port = kState[0];
    module.inputs = {port};
    module.outputs = {port};
  }
};

TEST_CASE("lower_accesses makes ports and lone registers values, read and written once") {
  Lowered one(R"(
  %x = load i8, ptr %in
  %q = load i8, ptr %self
  store i8 %q, ptr %out
  store i8 %x, ptr %self
  ret void
)");
  lower_accesses(*one.module.clock, one.module);
  INFO(one.ir.body());
  const std::string body = one.ir.body();
  CHECK(body.find("ptr") == std::string::npos);
  for (const char* part : {"call i8 @hls.read_port.i8_32_64(i32 0, i64 0)",
                           "call i8 @hls.read_register.i8_32_64(i32 0, i64 0)",
                           "call void @hls.write_port._32_64_8(i32 0, i64 0, i8 ",
                           "call void @hls.write_register._32_64_8(i32 0, i64 0, i8 "}) {
    CHECK(body.find(part) != std::string::npos);
    CHECK(body.find(part) == body.rfind(part));
  }
}

TEST_CASE("lower_accesses keeps an array that a variable indexes, in program order") {
  Lowered one(R"(
  %x = load i8, ptr %in
  %low = and i8 %x, 1
  %i = zext i8 %low to i64
  %p = getelementptr %State, ptr %self, i32 0, i32 1, i64 0, i64 %i
  store i8 %x, ptr %p
  %v = load i8, ptr %p
  store i8 %v, ptr %out
  ret void
)");
  lower_accesses(*one.module.clock, one.module);
  const std::string body = one.ir.body();
  INFO(body);
  CHECK(body.find("hls.store._32_64_8(i32 1, i64 %i, i8 %x)") <
        body.find("hls.load.i8_32_64(i32 1, i64 %i)"));
}

std::string refused(const std::string& body) {
  Lowered one(body + "  ret void\n");
  try {
    lower_accesses(*one.module.clock, one.module);
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

TEST_CASE("lower_accesses refuses what is no register or port") {
  CHECK(refused("  store i8 1, ptr %in\n").find("an input cannot be written") != std::string::npos);
  CHECK(refused("  %x = load i8, ptr %in\n  %i = zext i8 %x to i64\n"
                "  %p = getelementptr %State, ptr %self, i32 0, i32 1, i64 0, i64 %i\n"
                "  store i8 %x, ptr %p\n")
            .find("this index may fall outside of 'matrix', which has 6 elements") !=
        std::string::npos);
  CHECK(refused("  %p = load ptr, ptr %self\n  store i8 1, ptr %p\n") != "");
}

}  // namespace
}  // namespace systole::tests
