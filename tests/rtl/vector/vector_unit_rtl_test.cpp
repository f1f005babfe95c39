// The vector unit's RTL against its C++, all ports, every edge; and both against the interpreter.

#include <Vvector_unit_16.h>
#include <Vvector_unit_4.h>

#include <catch2/catch.hpp>
#include <memory>

#include "tests/rtl/lockstep.h"
#include "tests/rtl/vector/unit_top.h"
#include "tests/rtl/vector/unit_world.h"
#include "tests/vector/special_functions.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 0x5eed'0054;

/// Runs `world` to its end in lock-step, or to a difference; some worlds end in a reset.
template <typename Both, typename World>
void run(Both& both, World& world, std::uint64_t most_edges) {
  both.clock({}, true);
  for (std::uint64_t edge = 0; edge < most_edges && !world.is_done(); ++edge) {
    both.clock(world.clock());
    if (both.mismatches() != 0) return;
  }
}

template <typename Model, int kLanes>
void check_random_programs(int episodes) {
  Lockstep<VectorUnitTop<Model, kLanes>> both(kSeed);
  both.clock({}, true);
  both.compare_from_here();
  Random random(kSeed);
  std::uint64_t words = 0;
  for (int episode = 0; episode < episodes; ++episode) {
    INFO("seed " << kSeed << ", episode " << episode);
    auto world = std::make_unique<VectorUnitWorld<kLanes>>(random.bits());
    world->clear_registers();
    for (int i = 0; i < 4; ++i) world->add_random();
    const bool is_cut = random.below(5) == 0;
    run(both, *world, is_cut ? random.below(2000) : 100'000);
    INFO(both.first_mismatch().message());
    REQUIRE(both.mismatches() == 0);
    CHECK(world->wrong == 0);
    CHECK((is_cut || world->is_done()));
    words += world->words_left();
  }
  CHECK(words > 40U * static_cast<unsigned>(episodes));
  CHECK(both.compared_edges() > 500U * static_cast<unsigned>(episodes));
}

TEST_CASE("the vector unit of 4 lanes runs random programs as its C++ and the interpreter do",
          "[vector]") {
  check_random_programs<Vvector_unit_4, 4>(60);
}

TEST_CASE("the vector unit of 16 lanes runs random programs as its C++ and the interpreter do",
          "[vector]") {
  check_random_programs<Vvector_unit_16, 16>(12);
}

TEST_CASE("special functions leave the RTL with the interpreter's bits", "[vector]") {
  Lockstep<VectorUnitTop<Vvector_unit_4, 4>> both(kSeed);
  both.clock({}, true);
  both.compare_from_here();
  for (const SpecialFunction& function : kSpecialFunctions) {
    INFO(function.name);
    VectorUnitWorld<4> world(kSeed);
    world.clear_registers();
    world.add(function.program(), {.words = 40});
    run(both, world, 100'000);
    REQUIRE(both.mismatches() == 0);
    CHECK(world.wrong == 0);
    CHECK(world.is_done());
  }
}

TEST_CASE("a run without stalls takes eight clocks an instruction and group", "[vector]") {
  for (const std::uint32_t words : {1U, 8U, 9U, 40U}) {
    const vector::Program program = kSpecialFunctions[0].program();
    VectorUnitWorld<4> world(kSeed, false);
    world.add(program, {.words = words});
    while (!world.is_done()) world.clock();
    const std::uint64_t groups = (words + 7) / 8;
    INFO(words << " words");
    // The first instruction is fetched in a clock of its own; the last result is under way.
    CHECK(world.busy_clocks() == 8 * groups * program.code.size() + kernels::kVectorLatency);
  }
}

TEST_CASE("a slot exchange takes nine clocks more, and none as the first of an idle unit",
          "[vector]") {
  const vector::Instruction exchange{.operation = vector::VectorOperation::kOr,
                                     .b = 1,
                                     .writes = true,
                                     .exchange = kernels::kExchangeSlot};
  const vector::Instruction other{.operation = vector::VectorOperation::kOr};
  struct Case {
    std::vector<vector::Instruction> code;
    std::uint32_t words;
    std::uint64_t exchanges;  ///< behind another instruction, the last one of a group included
  };
  for (const Case& one :
       {Case{{exchange}, 8, 0}, Case{{exchange}, 16, 1}, Case{{other, exchange}, 3, 1},
        Case{{exchange, other, exchange, exchange}, 24, 8}}) {
    VectorUnitWorld<4> world(kSeed, false);
    world.add({.code = one.code, .constants = {}}, {.words = one.words});
    while (!world.is_done()) world.clock();
    const std::uint64_t issues = 8 * ((one.words + 7) / 8) * one.code.size();
    INFO(one.code.size() << " instructions, " << one.words << " words");
    CHECK(world.busy_clocks() ==
          issues + kernels::kVectorLatency + (kernels::kVectorLatency - 1) * one.exchanges);
  }
}

}  // namespace
}  // namespace systole::tests
