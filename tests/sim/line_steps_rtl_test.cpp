// A step on cores in a line, on every device that has links.
#include <algorithm>
#include <catch2/catch.hpp>

#include "host/device/backend_line.h"
#include "host/device/checked_line.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/conv2d.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/layers/pooling_2d.h"
#include "sim/device/control_devices.h"
#include "sim/device/device_info.h"
#include "sim/device/simulated_line.h"
#include "sim/verilator/verilated_devices.h"
#include "tests/lowering/line_of_cores.h"
#include "tests/sim/spoiled_line.h"

namespace systole::tests {
namespace {

constexpr int kLanes = 4;
constexpr std::uint64_t kSeed = 0x5eed'57e9;
constexpr DeviceSizes kSizes{.array_size = kLanes};
const nn::Optimizer kOptimizer = nn::Adam{.learning_rate = 0.01f};

DeviceLine open_line(const std::string& device, int cores) {
  return Device::open_line(device, {.array_size = kLanes}, cores, 1);
}

std::vector<Memory*> memories_of(const BackendLine& line) {
  std::vector<Memory*> memories;
  for (const auto& core : line.cores()) memories.push_back(&core->memory());
  return memories;
}

/// What cores computed and counted.
struct Outcome {
  explicit Outcome(const LineOfCores& cores) {
    for (std::size_t core = 0; core < cores.cores().size(); ++core) {
      states.push_back(cores.states(core));
      losses.push_back(cores.result(core, "loss"));
    }
  }
  std::vector<std::map<std::string, std::vector<float>>> states;
  std::vector<float> losses;
};

struct Network {
  std::vector<nn::Layer> layers;
  nn::Shape input;
};
const Network kSmall = {{nn::Dense{.units = 70}, nn::Relu{}, nn::Dense{.units = 10}}, {21}};
// mnist-mlp and fashion-cnn, of smaller images and with fewer units.
const Network kMlp = {{nn::Flatten{}, nn::Dense{.units = 64}, nn::Relu{}, nn::Dense{.units = 10}},
                      {9, 9, 1}};
const Network kCnn = {{nn::Conv2D{.filters = 8}, nn::MaxPooling2D{}, nn::Relu{}, nn::Flatten{},
                       nn::Dense{.units = 10}},
                      {10, 10, 1}};

/// The batches of a launch's two steps.
void feed(LineOfCores& cores, const Network& network, std::int64_t rows, std::int64_t launch) {
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t update = 2 * launch + step + 1;
    cores.feed(random_samples(kSeed + static_cast<std::uint64_t>(update), rows,
                              nn::size_of(network.input), 10),
               update, step);
  }
}

/// Two launches of two steps; counters of each core are left in the line's devices.
Outcome run_on(BackendLine& line, const Network& network, std::int64_t rows) {
  LineOfCores cores(network.layers, network.input, rows, static_cast<int>(line.cores().size()),
                    kOptimizer, *line.cores()[0]->sizes(), 2, memories_of(line));
  for (std::int64_t launch = 0; launch < 2; ++launch) {
    feed(cores, network, rows, launch);
    line.run(cores.programs(2));
  }
  return Outcome(cores);
}

Outcome interpret(const Network& network, std::int64_t rows, int count) {
  LineOfCores cores(network.layers, network.input, rows, count, kOptimizer, kSizes, 2);
  for (std::int64_t launch = 0; launch < 2; ++launch) {
    feed(cores, network, rows, launch);
    for (const ProgramFault& fault : cores.interpret(2)) {
      REQUIRE(fault.code == device::FaultCode::kNone);
    }
  }
  return Outcome(cores);
}

void check(const Network& network, std::int64_t rows, int cores, const char* device = "rtl") {
  CAPTURE(cores, rows, device);
  const DeviceLine slow = open_line(device, cores), model = open_line("model", cores);
  const Outcome expected = interpret(network, rows, cores);
  for (const DeviceLine* line : {&slow, &model}) {
    const Outcome got = run_on(*line->links, network, rows);
    CHECK(got.losses == expected.losses);
    CHECK(got.states == expected.states);
    CHECK(std::ranges::count(got.losses, got.losses[0]) == cores);
  }
  for (std::size_t core = 0; core < slow.cores.size(); ++core) {
    CAPTURE(core);
    CHECK(slow.cores[core].counters() == model.cores[core].counters());
    CHECK(slow.cores[core]
              .counters()
              .counts[static_cast<std::size_t>(device::Count::kLinkWaitForBeat)] > 0);
  }
}

bool has_systemc() { return std::ranges::count(Device::names(), "systemc") > 0; }

}  // namespace

TEST_CASE("a line of cores has the interpreter's bits, and rtl and model the same counters",
          "[line]") {
  const int cores = GENERATE(2, 3, 8);
  check(kSmall, 7, cores);  // of eight cores, one has no row
}

TEST_CASE("two cores in SystemC have the interpreter's bits and the counters of model", "[line]") {
  if (has_systemc()) check(kSmall, 7, 2, "systemc");
}

TEST_CASE("a multi-layer perceptron on cores in a line is one step on rtl and model", "[line]") {
  check(kMlp, 16, GENERATE(2, 4, 8));
}

TEST_CASE("a convolutional network on cores in a line is one step on rtl and model", "[line]") {
  check(kCnn, 16, GENERATE(2, 4, 8));
}

namespace {

/// The command of this program that is the n-th stream of a link, 0 first.
std::size_t link_stream(const PlacedProgram& program, int n) {
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    const device::CommandWord& command = program.commands[i];
    if (device::opcode_of(command) != device::Opcode::kVectorStream) continue;
    if (device::decode_vector_stream(command).end == device::VectorStreamEnd::kMemory) continue;
    if (n-- == 0) return i;
  }
  FAIL("the program has fewer streams of links");
  return 0;
}

}  // namespace

TEST_CASE("a fault of a core in a line is reported with core and command, and the next run works",
          "[line]") {
  const std::string device = GENERATE("rtl", "model", "systemc");
  if (device == "systemc" && !has_systemc()) return;
  CAPTURE(device);
  constexpr std::int64_t kRows = 6;
  const DeviceLine line = open_line(device, 3);
  LineOfCores cores(kSmall.layers, kSmall.input, kRows, 3, kOptimizer, kSizes, 1,
                    memories_of(*line.links));
  const auto feed = [&](LineOfCores& which) {
    which.feed(random_samples(kSeed, kRows, 21, 10), 1);
  };
  std::vector<PlacedProgram> programs = cores.programs();
  for (PlacedProgram& program : programs) {
    program.number = 0;
    // Three looks of the watchdog; SystemC takes its time.
    program.link_patience = device == "systemc" ? 20'000 : 300'000;
  }
  const auto run_with = [&](std::size_t core, const std::vector<device::CommandWord>& commands) {
    std::vector<PlacedProgram> all = programs;
    all[core].commands = commands;
    all[core].units = {};
    Memory& memory = line.cores[core].backend().memory();
    memory.write(all[core].ring, std::as_bytes(std::span(commands)));
    std::string words;
    try {
      line.links->run(all);
    } catch (const DeviceError& error) {
      words = error.what();
    }
    memory.write(all[core].ring, std::as_bytes(programs[core].commands));
    return words;
  };
  const auto changed = [&](std::size_t core, std::size_t place, device::CommandWord command) {
    std::vector<device::CommandWord> commands(programs[core].commands.begin(),
                                              programs[core].commands.end());
    commands[place] = command;
    return commands;
  };
  const auto words_of = [&](std::size_t core, const char* name, std::size_t command) {
    return fmt::format("core {} of 3: device fault: {} at command {} of {}, address 0x0", core,
                       name, command, programs[core].commands.size());
  };

  SECTION("a command that is none stops its core") {
    const std::size_t place = link_stream(programs[1], 3);
    CHECK(run_with(1, changed(1, place, {})) == words_of(1, "illegal command (code 1)", place));
  }
  SECTION("a stream that is longer than its neighbour's is met by the neighbour") {
    const std::size_t place = link_stream(programs[0], 0);
    device::VectorStream stream = device::decode_vector_stream(programs[0].commands[place]);
    REQUIRE(stream.writes);
    stream.cols += 4 * kLanes;
    CHECK(run_with(0, changed(0, place, device::encode(stream))) ==
          words_of(1, "link length (code 11)", link_stream(programs[1], 0)));
  }
  SECTION("a neighbour that does not send is waited for until patience ends") {
    CHECK(run_with(0, {device::encode(device::Fence{})}) ==
          words_of(1, "link stall (code 10)", link_stream(programs[1], 0)));
  }

  LineOfCores expected(kSmall.layers, kSmall.input, kRows, 3, kOptimizer, kSizes);
  feed(expected);
  for (const ProgramFault& fault : expected.interpret()) {
    REQUIRE(fault.code == device::FaultCode::kNone);
  }
  LineOfCores again(kSmall.layers, kSmall.input, kRows, 3, kOptimizer, kSizes, 1,
                    memories_of(*line.links));
  feed(again);
  line.links->run(again.programs());
  CHECK(Outcome(again).states == Outcome(expected).states);
}

TEST_CASE(
    "a link that stalls for a million clocks of a long step is a fault of the core above, and "
    "the next run works",
    "[line]") {
  constexpr std::int64_t kRows = 16;
  const DeviceOptions options{.array_size = kLanes};
  const std::vector<std::shared_ptr<DeviceMemory>> memories{sim::device_memory(options),
                                                            sim::device_memory(options)};
  sim::SimulatedLine line(
      memories, 1, [&](DeviceMemory& memory, const sim::HarnessOptions& harness) {
        return sim::make_verilated_device(kLanes, memory, sim::memory_behaviour(options), harness);
      });
  LineOfCores cores(kCnn.layers, kCnn.input, kRows, 2, kOptimizer, kSizes, 1,
                    {memories[0].get(), memories[1].get()});
  const std::vector<PlacedProgram> programs = cores.programs();
  for (std::size_t core = 0; core < 2; ++core) {
    CHECK(programs[core].link_patience == 1'000'000);
  }
  const std::size_t waits = link_stream(programs[1], 0);
  const auto run_stalled = [&](std::uint64_t clocks) {
    cores.feed(random_samples(kSeed, kRows, nn::size_of(kCnn.input), 10), 1);
    line.stall_from_below(1, clocks);
    return line.run(programs)[1];
  };
  // Core 1 waits when it has computed its rows.
  const auto computes = static_cast<std::uint64_t>(cores.cores()[1]->step.longest_stretch());
  CHECK(run_stalled(computes + 900'000).fault == device::FaultCode::kNone);
  const ProgramResult fault = run_stalled(computes + 1'100'000);
  CHECK(fault.fault == device::FaultCode::kLinkStall);
  CHECK(fault.command == waits);
  CHECK(run_stalled(0).fault == device::FaultCode::kNone);
}

TEST_CASE("a core without rows waits for as long as its neighbour computes", "[line]") {
  const DeviceOptions options{.array_size = kLanes};
  const std::vector<std::shared_ptr<DeviceMemory>> memories{sim::device_memory(options),
                                                            sim::device_memory(options)};
  sim::SimulatedLine line(
      memories, 1, [&](DeviceMemory& memory, const sim::HarnessOptions& harness) {
        return sim::make_control_device(kLanes, memory, sim::memory_behaviour(options), harness);
      });
  LineOfCores cores({nn::Conv2D{.filters = 32}, nn::MaxPooling2D{}, nn::MaxPooling2D{},
                     nn::Flatten{}, nn::Dense{.units = 10}},
                    {64, 64, 16}, 1, 2, kOptimizer, kSizes, 1,
                    {memories[0].get(), memories[1].get()});
  std::vector<PlacedProgram> programs = cores.programs();
  const std::uint32_t patience = programs[0].link_patience;
  CHECK(patience == 2 * cores.cores()[0]->step.longest_stretch());
  CHECK(programs[1].link_patience == 1'000'000);
  const auto run_with = [&](std::uint32_t clocks) {
    for (PlacedProgram& program : programs) program.link_patience = clocks;
    return line.run(programs);
  };
  const ProgramResult fault = run_with(1'000'000)[1];
  CHECK(fault.fault == device::FaultCode::kLinkStall);
  CHECK(fault.command == link_stream(programs[1], 0));
  for (const ProgramResult& result : run_with(patience)) {
    CHECK(result.fault == device::FaultCode::kNone);
  }
}

TEST_CASE("cores wait longer for neighbours with slow memories", "[line]") {
  constexpr std::uint32_t kTimes = 16;  // four in latency and four in bytes a clock
  const DeviceLine line = Device::open_line(
      "rtl", {.array_size = kLanes, .memory = {.latency_cycles = 256, .bytes_per_cycle = 1}}, 2, 1);
  LineOfCores cores(kCnn.layers, kCnn.input, 1, 2, kOptimizer, kSizes, 1, memories_of(*line.links));
  cores.feed(random_samples(kSeed, 1, nn::size_of(kCnn.input), 10), 1);
  std::vector<PlacedProgram> programs = cores.programs();
  const auto patience = static_cast<std::uint32_t>(2 * cores.cores()[0]->step.longest_stretch());
  for (PlacedProgram& program : programs) program.link_patience = patience;
  CHECK_NOTHROW(line.links->run(programs));
  for (PlacedProgram& program : programs) program.link_patience = patience / kTimes;
  CHECK_THROWS_WITH(line.links->run(programs),
                    Catch::StartsWith("core 1 of 2: device fault: link stall"));
}

TEST_CASE("a line takes one program a core", "[line]") {
  const DeviceLine line = open_line("model", 2);
  const PlacedProgram program;
  CHECK_THROWS_WITH(line.links->run({&program, 1}), "1 programs for a line of 2 cores");
}

TEST_CASE("devices without links are no line", "[line]") {
  CHECK(Device::open_line("cpu", {}, 3, 1).links == nullptr);
  CHECK(Device::open_line("cpu", {}, 3, 1).cores.size() == 3);
}

TEST_CASE("launches of a line run again on a line of rtl, core by core", "[line]") {
  const DeviceLine line =
      Device::open_line("model", {.array_size = kLanes, .check_per_mille = 1000}, 3, 1);
  const Outcome got = run_on(*line.links, kSmall, 7);
  CHECK(got.states == interpret(kSmall, 7, 3).states);
  for (const Device& core : line.cores) {
    CHECK(core.check_coverage()->checked_programs == 2);
    CHECK(core.check_coverage()->cycles == core.counters().cycles());
  }
}

TEST_CASE("one wrong bit of one core of a line is found, with the core", "[line]") {
  const CheckedBackend::Options options{.per_mille = 1000};
  const auto model = std::make_shared<SpoiledLine>(open_line("model", 2).links, 1);
  CheckedLine line(model, open_line("rtl", 2).links, options);
  CHECK_THROWS_WITH(run_on(line, kSmall, 7),
                    Catch::StartsWith("core 1 of 2: the check against rtl found a difference"));
}

}  // namespace systole::tests
