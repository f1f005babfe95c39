// A step on cores in a line: RTL, native C++ and its control alone in lockstep on a thread each.
#include <catch2/catch.hpp>

#include "host/device/register_driver.h"
#include "host/nn/layers/activation.h"
#include "host/nn/layers/dense.h"
#include "host/nn/layers/flatten.h"
#include "host/nn/training/models.h"
#include "sim/device/control_devices.h"
#include "sim/device/core_line.h"
#include "sim/verilator/verilated_devices.h"
#include "tests/lowering/line_of_cores.h"

namespace systole::tests {
namespace {

constexpr int kLanes = 4;
constexpr std::uint64_t kSeed = 0x5eed'57e9;

using MakeDevice = std::unique_ptr<sim::DevicePort> (*)(int array_size, DeviceMemory& memory,
                                                        const sim::MemoryBehaviour& behaviour,
                                                        const sim::HarnessOptions& options);

/// Runs a batch on devices; the counters of each core.
std::vector<ProgramResult> run_on(LineOfCores& cores, MakeDevice make_device) {
  sim::CoreLine line(static_cast<int>(cores.cores().size()));
  std::vector<std::shared_ptr<sim::DevicePort>> devices;
  std::vector<sim::DevicePort*> ports;
  std::vector<ProgramResult> results(cores.cores().size());
  std::vector<std::function<void()>> hosts;
  for (std::size_t i = 0; i < cores.cores().size(); ++i) {
    LineCore& core = *cores.cores()[i];
    devices.push_back(make_device(kLanes, *core.memory, {},
                                  {.neighbours = &line.neighbours(static_cast<int>(i))}));
    ports.push_back(devices.back().get());
    hosts.emplace_back([&results, &core, port = devices.back(), i] {
      RegisterDriver driver(core.memory, port);
      results[i] = driver.run(core.step.program(1));
    });
  }
  line.run(ports, hosts);
  return results;
}

void check_line(const std::vector<nn::Layer>& layers, const nn::Shape& input, std::int64_t rows,
                int cores) {
  CAPTURE(cores);
  const nn::Adam optimizer{.learning_rate = 0.01f};
  const DeviceSizes sizes{.array_size = kLanes};
  LineOfCores interpreted(layers, input, rows, cores, optimizer, sizes),
      whole(layers, input, rows, cores, optimizer, sizes),
      control(layers, input, rows, cores, optimizer, sizes);
  const Samples batch = random_samples(kSeed, rows, nn::size_of(input), 10);
  for (LineOfCores* line : {&interpreted, &whole, &control}) line->feed(batch, 1);
  for (const ProgramFault& fault : interpreted.interpret()) {
    REQUIRE(fault.code == device::FaultCode::kNone);
  }
  const auto results = run_on(whole, sim::make_lockstep_device),
             clocks = run_on(control, sim::make_control_device);
  for (std::size_t core = 0; core < results.size(); ++core) {
    CAPTURE(core, results[core].command);
    REQUIRE(results[core].fault == device::FaultCode::kNone);
    CHECK(whole.states(core) == interpreted.states(core));
    CHECK(whole.result(core, "loss") == interpreted.result(core, "loss"));
    CHECK(results[core].counts == clocks[core].counts);
  }
}

}  // namespace

TEST_CASE("cores in a line have the bits of the interpreter and the counters of their control",
          "[line]") {
  check_line({nn::Dense{.units = 70}, nn::Relu{}, nn::Dense{.units = 10}}, {21}, 7,
             GENERATE(2, 3, 8));  // of eight cores, one has no row
}

TEST_CASE("mnist-mlp on two cores in a line has the bits and counters of its model", "[line]") {
  check_line({nn::Flatten{}, nn::Dense{.units = 512}, nn::Relu{}, nn::Dense{.units = 10}},
             {28, 28, 1}, 8, 2);
}

}  // namespace systole::tests
