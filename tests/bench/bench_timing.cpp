// How fast programs are built, and their clocks counted: by the control kernels clock by clock, and
// by program_clocks, which must find the same.
//
//   bench_timing [--array N] [--only NAME] [--counters]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>

#include "host/driver/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/device/port_device.h"
#include "sim/timing/program_clocks.h"
#include "tests/bench/workloads.h"

namespace systole {
namespace {

struct Options {
  int array_size = 16;
  std::string only;
  bool counters = false;
};

void run(Workload& work, const Options& options) {
  const std::clock_t first = std::clock();
  const auto commands = build_program(work.products, {.array_size = options.array_size});
  const double built = static_cast<double>(std::clock() - first) / CLOCKS_PER_SEC;
  const auto bytes = std::as_bytes(std::span(commands));
  const std::uint64_t ring = work.memory->allocate(static_cast<std::int64_t>(bytes.size()));
  work.memory->write(ring, bytes);
  RegisterDriver driver(std::make_unique<sim::PortDevice>(
      work.memory,
      sim::make_control_device(options.array_size, *work.memory, {}, {.monitors = false})));
  const std::clock_t start = std::clock();
  const ProgramResult done =
      driver.run({.commands = commands, .ring = ring, .base = work.first, .end = work.last});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (done.fault != device::FaultCode::kNone) {
    throw std::runtime_error(fmt::format("{}: fault {} at command {}", work.name,
                                         device::kFaultNames[static_cast<std::size_t>(done.fault)],
                                         done.command));
  }
  const auto cycles = done.counts[static_cast<std::size_t>(device::Count::kCycles)];
  const std::clock_t again = std::clock();
  constexpr int kRuns = 10;
  std::optional<ProgramCounts> counts;
  for (int i = 0; i < kRuns; ++i) counts = program_clocks(options.array_size, {}, commands);
  const double fast = static_cast<double>(std::clock() - again) / CLOCKS_PER_SEC / kRuns;
  const double clocks = static_cast<double>(cycles);
  fmt::print("{:<16}{:>10}{:>10.2f}{:>10}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}{:>8}\n", work.name,
             commands.size(), built * 1e3, cycles, seconds * 1e3, clocks / seconds / 1e6,
             fast * 1e3, clocks / fast / 1e6, counts == done.counts ? "equal" : "DIFFER");
  if (options.counters) {
    for (std::size_t i = 0; i < done.counts.size(); ++i) {
      fmt::print("  {:<24}{:>12}{:>12}\n", device::kCounterNames[i], done.counts[i],
                 counts ? (*counts)[i] : 0);
    }
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  systole::Options options;
  CLI::App app("How fast programs are built and their clocks counted.");
  app.add_option("--array", options.array_size)->check(CLI::IsMember({4, 8, 16, 32, 64, 128}));
  app.add_option("--only", options.only, "a workload's name");
  app.add_flag("--counters", options.counters, "every counter, of both");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} x {}\n{:<16}{:>10}{:>10}{:>10}{:>20}{:>20}\n", options.array_size,
             options.array_size, "products", "commands", "built ms", "clocks", "control ms, Mclk/s",
             "fast ms, Mclk/s");
  for (const auto& work : systole::workloads()) {
    if (options.only.empty() || options.only == work->name) systole::run(*work, options);
  }
}
