// Matrix products on the whole accelerator: cycles, utilisation and stalls, with memory of N bytes
// a clock and 64 clocks of latency; and the speed of the simulation.
//
//   bench_accelerator [--device native|rtl] [--array N] [--latency CLOCKS] [--only NAME]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "host/device/register_driver.h"
#include "sim/device/native_devices.h"
#include "sim/verilator/verilated_devices.h"
#include "tests/bench/workloads.h"

namespace systole {
namespace {

using device::Count;

struct Options {
  std::string device = "native";
  int array_size = 16;
  int latency = 64;
  std::string only;
};

RegisterDriver open(const Options& options, const std::shared_ptr<DeviceMemory>& memory) {
  const sim::MemoryBehaviour behaviour{.latency = options.latency,
                                       .write_latency = options.latency};
  const sim::HarnessOptions harness{.monitors = false};
  auto port = options.device == "rtl"
                  ? sim::make_verilated_device(options.array_size, *memory, behaviour, harness)
                  : sim::make_native_device(options.array_size, *memory, behaviour, harness);
  return RegisterDriver(memory, std::move(port));
}

void run(Workload& work, const Options& options) {
  const auto commands = build_program(work.products, {.array_size = options.array_size});
  const auto bytes = std::as_bytes(std::span(commands));
  const std::uint64_t ring = work.memory->allocate(static_cast<std::int64_t>(bytes.size()));
  work.memory->write(ring, bytes);

  RegisterDriver driver = open(options, work.memory);
  const std::clock_t start = std::clock();
  const ProgramResult done =
      driver.run({.commands = commands, .ring = ring, .base = work.first, .end = work.last});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (done.fault != device::FaultCode::kNone) {
    throw std::runtime_error(fmt::format("{}: fault {} at command {}", work.name,
                                         device::kFaultNames[static_cast<std::size_t>(done.fault)],
                                         done.command));
  }
  const auto of = [&](Count count) { return done.counts[static_cast<std::size_t>(count)]; };
  const double cycles = static_cast<double>(of(Count::kCycles));
  const auto share = [&](Count count) { return 100 * static_cast<double>(of(count)) / cycles; };
  const double peak = cycles * options.array_size * options.array_size;
  fmt::print("{:<16}{:>10}{:>8.2f}{:>8.2f}{:>7.2f}{:>7.2f}{:>8.2f}{:>7.2f}{:>9.2f}{:>7}{:>8.2f}\n",
             work.name, of(Count::kCycles), 100 * static_cast<double>(work.macs()) / peak,
             share(Count::kRows), share(Count::kWaitForLoad), share(Count::kWaitForStore),
             share(Count::kWaitForWeights), share(Count::kWaitForSums),
             share(Count::kWaitForCommand), commands.size(), cycles / seconds / 1e6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  systole::Options options;
  CLI::App app("Cycles, utilisation and stalls of the accelerator.");
  app.add_option("--device", options.device)->check(CLI::IsMember({"native", "rtl"}));
  app.add_option("--array", options.array_size)->check(CLI::IsMember({4, 8, 16, 32}));
  app.add_option("--latency", options.latency)->check(CLI::Range(1, 1000));
  app.add_option("--only", options.only, "run only the workload of this name");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} x {}, {} bytes a clock, latency {}, {}; per cent of the cycles\n",
             options.array_size, options.array_size, options.array_size, options.latency,
             options.device);
  fmt::print("{:<16}{:>10}{:>8}{:>8}{:>7}{:>7}{:>8}{:>7}{:>9}{:>7}{:>8}\n", "products", "cycles",
             "macs", "rows", "load", "store", "weights", "sums", "command", "cmds", "Mclk/s");
  for (const auto& work : systole::workloads()) {
    if (options.only.empty() || options.only == work->name) systole::run(*work, options);
  }
}
