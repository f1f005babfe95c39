// The clocks of training steps on a line of cores, and what binds them:
//
//   bench_cores MODEL [--cores C] [--batch-size B] [--optimizer adam|sgd] [--device CONFIGURATION]
//               [--steps K] [--timeline FILE]
//   bench_cores MODEL --rtl ...
//
// Each core's program runs on its control's HLS C++, all cores in joint clocks. The efficiency is
// the time of one core that trains the rows of core 0 alone, divided by that of the line. The
// timeline, for Perfetto, has what every engine of every core of the line did in every clock.
// --rtl simulates the RTL of arrays of 4 instead, and prints what a clock of a core takes: in the
// line, and without links, where one core after the other trains the rows of core 0 alone.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "host/device/configurations.h"
#include "host/device/counters.h"
#include "host/device/register_driver.h"
#include "host/nn/training/models.h"
#include "sim/device/control_devices.h"
#include "sim/device/device_info.h"
#include "sim/device/simulated_line.h"
#include "sim/timeline/recorded_devices.h"
#include "sim/timeline/timeline_recorder.h"
#include "sim/verilator/verilated_devices.h"
#include "tests/lowering/line_of_cores.h"

namespace systole {
namespace {

struct Options {
  std::string model, optimizer = "adam", configuration = "default", timeline;
  int cores = 8;
  std::int64_t batch_size = 1024, steps = 4;
  bool rtl = false;
};

/// What each core of a line counts while it runs its program. Recorders, if there
/// are any, see every clock of their cores.
std::vector<Counters> count(const nn::Model& model, const nn::Optimizer& optimizer,
                            std::int64_t rows, std::size_t cores, std::int64_t steps,
                            const DeviceOptions& device,
                            std::span<sim::TimelineRecorder> recorders = {}) {
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  std::vector<Memory*> of_cores;
  for (std::size_t i = 0; i < cores; ++i) {
    memories.push_back(sim::device_memory(device));
    of_cores.push_back(memories.back().get());
  }
  tests::LineOfCores line(model.layers, model.input_shape, rows, static_cast<int>(cores), optimizer,
                          {.array_size = device.array_size, .bus_bytes = device.memory.bus_bytes},
                          steps, of_cores);
  std::size_t made = 0;
  sim::SimulatedLine devices(
      memories, 1, [&](DeviceMemory& memory, const sim::HarnessOptions& options) {
        const sim::MemoryBehaviour behaviour = sim::memory_behaviour(device);
        if (recorders.empty()) {
          return sim::make_control_device(device.array_size, memory, behaviour, options);
        }
        sim::TimelineRecorder& recorder = recorders[made++];
        return sim::make_recorded_device(
            device.array_size, memory, behaviour, options,
            [&recorder](const sim::Activity& activity, std::uint64_t clock) {
              recorder.clock(activity, clock);
            });
      });
  const std::vector<PlacedProgram> programs = line.programs(steps);
  if (cores > 1) {
    const PlacedProgram& longest =
        *std::ranges::max_element(programs, {}, &PlacedProgram::link_patience);
    fmt::print("a core waits at most {} clocks for a neighbour\n", longest.link_patience);
  }
  std::vector<Counters> counters;
  for (const ProgramResult& result : devices.run(programs)) {
    if (result.fault != device::FaultCode::kNone) {
      throw DeviceError(fmt::format("core {}: {} at command {}", counters.size(),
                                    device::kFaultNames[static_cast<std::size_t>(result.fault)],
                                    result.command));
    }
    counters.push_back({.counts = result.counts});
  }
  return counters;
}

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Processor nanoseconds for each clock of each core: of `cores` RTL devices in a line; or, without
/// links, of as many one after the other, which each train `rows` rows alone.
double rtl_clock_ns(const nn::Model& model, const nn::Optimizer& optimizer, std::int64_t rows,
                    std::size_t cores, std::int64_t steps, bool links) {
  constexpr int kArray = 4;
  const DeviceOptions device{.array_size = kArray};
  std::vector<std::shared_ptr<DeviceMemory>> memories;
  std::vector<Memory*> of_cores;
  for (std::size_t i = 0; i < (links ? cores : 1); ++i) {
    memories.push_back(sim::device_memory(device));
    of_cores.push_back(memories.back().get());
  }
  tests::LineOfCores line(model.layers, model.input_shape, rows, static_cast<int>(of_cores.size()),
                          optimizer, {.array_size = kArray}, steps, of_cores);
  const std::vector<PlacedProgram> programs = line.programs(steps);
  const auto make_device = [&](DeviceMemory& memory, const sim::HarnessOptions& options) {
    return sim::make_verilated_device(kArray, memory, sim::memory_behaviour(device), options);
  };
  std::vector<ProgramResult> results;
  const double before = processor_seconds();
  if (links) {
    results = sim::SimulatedLine(memories, 1, make_device).run(programs);
  } else {
    for (std::size_t i = 0; i < cores; ++i) {
      RegisterDriver core(memories[0], make_device(*memories[0], {.monitors = false}));
      results.push_back(core.run(programs[0]));
    }
  }
  const double seconds = processor_seconds() - before;
  std::uint64_t clocks = 0;
  for (const ProgramResult& result : results) {
    if (result.fault != device::FaultCode::kNone) throw DeviceError("a core has met a fault");
    clocks += Counters{.counts = result.counts}.cycles();
  }
  fmt::print("{} cores of RTL {} links: {} clocks, {:.1f} s\n", cores, links ? "with" : "without",
             clocks, seconds);
  return 1e9 * seconds / static_cast<double>(clocks);
}

void write_timeline(std::span<sim::TimelineRecorder> recorders, const std::string& path) {
  std::vector<sim::Timeline> cores;
  for (sim::TimelineRecorder& recorder : recorders) {
    recorder.end_program();
    cores.push_back(recorder.timeline());
  }
  std::ofstream file(path);
  file << sim::trace_events(cores);
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

void print_cores(const std::vector<Counters>& counters, std::int64_t steps) {
  using device::Count;
  fmt::print("{:>6} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}\n", "core", "clocks",
             "rows", "vector", "v input", "v output", "l beat", "l room", "rd beats", "wr beats");
  for (std::size_t i = 0; i < counters.size(); ++i) {
    const auto each = [&](Count which) {
      return counters[i][which] / static_cast<std::uint64_t>(steps);
    };
    fmt::print("{:>6} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>9}\n", i,
               each(Count::kCycles), each(Count::kRows), each(Count::kVectorBusy),
               each(Count::kVectorWaitForInput), each(Count::kVectorWaitForOutput),
               each(Count::kLinkWaitForBeat), each(Count::kLinkWaitForRoom),
               each(Count::kReadBeats), each(Count::kWriteBeats));
  }
}

std::uint64_t slowest(const std::vector<Counters>& counters) {
  return std::ranges::max(counters, {}, &Counters::cycles).cycles();
}

void run(const Options& options) {
  const nn::Model model = nn::find_model(options.model);
  const nn::Optimizer optimizer =
      options.optimizer == "sgd" ? nn::Optimizer(model.sgd) : nn::Optimizer(model.adam);
  if (options.rtl) {
    const auto cores = static_cast<std::size_t>(options.cores);
    const std::int64_t rows = (options.batch_size + options.cores - 1) / options.cores;
    const double without = rtl_clock_ns(model, optimizer, rows, cores, options.steps, false);
    const double with =
        rtl_clock_ns(model, optimizer, options.batch_size, cores, options.steps, true);
    fmt::print("a clock of a core: {:.0f} ns without links, {:.0f} with: {:.3f} x\n", without, with,
               with / without);
    return;
  }
  const Configuration* configuration = find_configuration(options.configuration);
  if (configuration == nullptr) throw std::invalid_argument("no such configuration");
  const DeviceOptions& device = configuration->options;
  std::vector<sim::TimelineRecorder> recorders;
  const auto clocks = [&](std::int64_t rows, int cores) {
    const std::vector<Counters> counters = count(
        model, optimizer, rows, static_cast<std::size_t>(cores), options.steps, device, recorders);
    print_cores(counters, options.steps);
    return static_cast<double>(slowest(counters)) / static_cast<double>(options.steps);
  };
  fmt::print("{}, {}, batches of {}, {} steps a launch; clocks a step\n", options.model,
             options.optimizer, options.batch_size, options.steps);
  const std::int64_t rows = (options.batch_size + options.cores - 1) / options.cores;
  const double alone = clocks(rows, 1);
  if (!options.timeline.empty()) {
    recorders = std::vector<sim::TimelineRecorder>(static_cast<std::size_t>(options.cores));
  }
  const double together = clocks(options.batch_size, options.cores);
  if (!options.timeline.empty()) write_timeline(recorders, options.timeline);
  fmt::print("one core of {} rows {:.0f}, {} cores {:.0f}: efficiency {:.1f}%\n", rows, alone,
             options.cores, together, 100 * alone / together);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  systole::Options options;
  CLI::App app("Clocks of training steps on a line of cores");
  app.add_option("model", options.model)->required();
  app.add_option("--cores", options.cores)->check(CLI::Range(1, 64));
  app.add_option("--batch-size", options.batch_size);
  app.add_option("--optimizer", options.optimizer)->check(CLI::IsMember({"adam", "sgd"}));
  app.add_option("--device", options.configuration, "default, tpu-v2-core");
  app.add_option("--steps", options.steps, "of a launch");
  app.add_flag("--rtl", options.rtl, "the time of RTL's clocks instead");
  app.add_option("--timeline", options.timeline, "FILE for Perfetto");
  CLI11_PARSE(app, argc, argv);
  try {
    systole::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_cores: {}\n", error.what());
    return 1;
  }
  return 0;
}
