// The SDRAM's model keeps its data and refuses what breaks its rules.
#include "sim/board/sdram_model.h"

#include <catch2/catch.hpp>
#include <vector>

namespace systole::sim {
namespace {

using Catch::Contains;

/// Commands to an SDRAM at 40 MHz, where a clock is 25 ns.
class Bench {
 public:
  std::uint16_t clock(SdramSignals pins = {}) { return chip_.tick(pins); }
  void wait(int clocks) {
    for (int i = 0; i < clocks; ++i) clock();
  }
  void initialise(int refreshes = 8) {
    wait(4000);
    clock({.command = 2, .address = 1 << 10});
    for (int i = 0; i < refreshes; ++i) refresh();
    clock({.command = 0, .address = 0x220});
    wait(1);
  }
  void refresh() {
    clock({.command = 1});
    wait(2);
  }
  void activate(int row) { clock({.command = 3, .address = static_cast<std::uint16_t>(row)}); }
  void write(int column, std::uint16_t data, int mask = 0) {
    clock({.command = 4,
           .address = static_cast<std::uint16_t>(column),
           .mask = static_cast<std::uint8_t>(mask),
           .data = data,
           .drives = true});
  }
  std::uint16_t read(int column) {
    clock({.command = 5, .address = static_cast<std::uint16_t>(column)});
    return clock();
  }
  void precharge() { clock({.command = 2, .address = 1 << 10}); }
  SdramModel chip_{40};
};

}  // namespace

TEST_CASE("an SDRAM returns what was written, but for masked bytes", "[board]") {
  Bench bench;
  bench.initialise();
  bench.activate(77);
  bench.write(5, 0x1234);
  bench.write(6, 0x5678);
  bench.write(5, 0xffff, 2);
  CHECK(bench.read(5) == 0x12ff);
  CHECK(bench.read(6) == 0x5678);
  CHECK(bench.chip_.half_word(0, 77, 6) == 0x5678);
}

TEST_CASE("an SDRAM refuses commands before it is initialised", "[board]") {
  Bench early;
  CHECK_THROWS_WITH(early.precharge(), Contains("within 100 us"));
  Bench bench;
  bench.wait(4000);
  CHECK_THROWS_WITH(bench.activate(0), Contains("before the mode is set"));
  CHECK_THROWS_WITH(bench.clock({.command = 1}), Contains("before the first PRECHARGE"));
  Bench hasty;
  CHECK_THROWS_WITH(hasty.initialise(7), Contains("before eight refreshes"));
}

TEST_CASE("an SDRAM refuses to be hurried", "[board]") {
  Bench bench;
  bench.initialise();
  bench.activate(1);
  CHECK_THROWS_WITH(bench.precharge(), Contains("tRAS"));
  Bench rows;
  rows.initialise();
  rows.activate(1);
  rows.wait(1);
  rows.precharge();
  rows.activate(2);
  CHECK_THROWS_WITH(rows.activate(3), Contains("open bank"));
  Bench fresh;
  fresh.initialise();
  fresh.clock({.command = 1});
  CHECK_THROWS_WITH(fresh.activate(0), Contains("tRFC"));
  Bench mode;
  mode.wait(4000);
  mode.precharge();
  for (int i = 0; i < 8; ++i) mode.refresh();
  mode.clock({.command = 0, .address = 0x220});
  CHECK_THROWS_WITH(mode.activate(0), Contains("tMRD"));
}

TEST_CASE("a faster clock needs more clocks between commands", "[board]") {
  SdramModel chip(100);
  const auto clocks = [&](int count) {
    for (int i = 0; i < count; ++i) chip.tick({});
  };
  clocks(10'000);
  chip.tick({.command = 2, .address = 1 << 10});
  CHECK_THROWS_WITH(chip.tick({.command = 1}), Contains("tRP is 20 ns, here 10 ns"));
}

TEST_CASE("an SDRAM wants its refresh", "[board]") {
  Bench bench;
  bench.initialise();
  CHECK_THROWS_WITH(bench.wait(320), Contains("no refresh"));
  Bench open;
  open.initialise();
  open.activate(0);
  CHECK_THROWS_WITH(open.clock({.command = 1}), Contains("while a bank is open"));
}

TEST_CASE("an SDRAM refuses accesses that cannot be", "[board]") {
  Bench bench;
  bench.initialise();
  CHECK_THROWS_WITH(bench.read(0), Contains("closed bank"));
  bench.activate(0);
  bench.clock({.command = 5});
  CHECK_THROWS_WITH(bench.write(0, 1), Contains("both drive"));
  Bench mode;
  mode.wait(4000);
  mode.precharge();
  for (int i = 0; i < 8; ++i) mode.refresh();
  CHECK_THROWS_WITH(mode.clock({.command = 0, .address = 0x230}), Contains("mode 0x230"));
}

}  // namespace systole::sim
