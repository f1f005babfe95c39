// board_campaign: random products on a simulated board with a faulty line.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "sim/board/simulated_board.h"
#include "tests/board/fault_campaign.h"
#ifdef SYSTOLE_HAS_VERILATED_BOARD
#include "sim/board/verilated_board.h"
#endif

int main(int argc, char** argv) {
  CLI::App app(
      "Random products on a simulated board whose line loses, flips, doubles, delays and "
      "invents bytes, and is unplugged now and then");
  std::uint64_t faults = 1000, seed = 1;
  bool rtl = false;
  app.add_option("--faults", faults, "How many faults")->capture_default_str();
  app.add_option("--seed", seed, "Seed of products and faults")->capture_default_str();
#ifdef SYSTOLE_HAS_VERILATED_BOARD
  app.add_flag("--rtl", rtl, "The board's RTL instead of its C++");
#endif
  CLI11_PARSE(app, argc, argv);
  auto make = systole::sim::make_native_board;
#ifdef SYSTOLE_HAS_VERILATED_BOARD
  if (rtl) make = systole::sim::make_verilated_board;
#endif
  try {
    const auto tally = systole::tests::run_fault_campaign(seed, faults, make);
    fmt::print(
        "{} faults on the line and {} boards unplugged: {} products right, {} reported, {} "
        "wrong; {} clocks of {}, seed {}\n",
        tally.faults, tally.unplugged, tally.products, tally.reported, tally.wrong, tally.clocks,
        rtl ? "RTL" : "C++", seed);
    return tally.wrong == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "board_campaign: {}\n", error.what());
    return 1;
  }
}
