// simulated_board: a board without a board, for `--device board:PORT`.
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

#include "sim/board/board_clock.h"
#include "sim/board/board_server.h"
#ifdef SYSTOLE_HAS_VERILATED_BOARD
#include "sim/board/verilated_board.h"
#endif

namespace {

std::atomic<bool> stopped = false;

}  // namespace

int main(int argc, char** argv) {
  using namespace systole;
  CLI::App app("Simulates the ULX3S behind a pseudo-terminal until it is interrupted");
  sim::LineOptions line;
  bool rtl = false;
  app.add_option("--fault-every", line.fault_every, "Harms one byte in so many on the line");
  app.add_option("--seed", line.seed, "Seed of the faults")->capture_default_str();
#ifdef SYSTOLE_HAS_VERILATED_BOARD
  app.add_flag("--rtl", rtl, "The board's RTL instead of its C++");
#endif
  app.footer(
      "It prints the device to use. Example:\n  simulated_board --rtl &\n"
      "  systole gemm --m 8 --k 16 --n 8 --device board:/dev/pts/3@20000");
  CLI11_PARSE(app, argc, argv);
  auto make = sim::make_native_board;
#ifdef SYSTOLE_HAS_VERILATED_BOARD
  if (rtl) make = sim::make_verilated_board;
#endif
  ::signal(SIGINT, [](int) { stopped = true; });
  ::signal(SIGTERM, [](int) { stopped = true; });
  try {
    sim::BoardServer server(std::make_unique<sim::SimulatedBoard>(make(), sim::kBoardMhz), line);
    // The rate is none of a pseudo-terminal's; it is the patience of the host with a simulation.
    fmt::print("board:{}@20000\n", server.path());
    std::fflush(stdout);
    while (!stopped) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      server.check();
    }
    server.unplug();
    fmt::print("{} clocks, {} faults on the line\n", server.clocks(), server.faults());
  } catch (const std::exception& error) {
    fmt::print(stderr, "simulated_board: {}\n", error.what());
    return 1;
  }
}
