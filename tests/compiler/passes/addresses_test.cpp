// Pointers as leaves and elements: decode, place_of.

#include <llvm/IR/Instructions.h>

#include <catch2/catch.hpp>

#include "hls/compiler/analyses/address.h"
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

}  // namespace
}  // namespace systole::tests
