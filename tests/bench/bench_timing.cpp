// How fast a program's clocks are counted: the device without its data path, clock by clock.
//
//   bench_timing [--array N] [--only NAME]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <string>

#include "host/driver/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/device/port_device.h"
#include "tests/bench/workloads.h"

namespace systole {
namespace {

struct Options {
  int array_size = 16;
  std::string only;
};

void run(Workload& work, const Options& options) {
  const auto commands = build_program(work.products, {.array_size = options.array_size});
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
  fmt::print("{:<16}{:>10}{:>10}{:>10.2f}{:>10.2f}\n", work.name, commands.size(), cycles,
             seconds * 1e3, static_cast<double>(cycles) / seconds / 1e6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  systole::Options options;
  CLI::App app("How fast a program's clocks are counted.");
  app.add_option("--array", options.array_size)->check(CLI::IsMember({4, 8, 16, 32, 64, 128}));
  app.add_option("--only", options.only, "a workload's name");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} x {}\n{:<16}{:>10}{:>10}{:>10}{:>10}\n", options.array_size, options.array_size,
             "products", "commands", "clocks", "ms", "Mclk/s");
  for (const auto& work : systole::workloads()) {
    if (options.only.empty() || options.only == work->name) systole::run(*work, options);
  }
}
