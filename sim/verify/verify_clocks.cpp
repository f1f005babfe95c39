#include "sim/verify/verify_clocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>

#include "host/driver/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/device/port_device.h"
#include "sim/timing/program_clocks.h"

namespace systole::verify {
namespace {

sim::MemoryBehaviour calm(const sim::MemoryBehaviour& behaviour) {
  return {.latency = behaviour.latency,
          .write_latency = behaviour.write_latency,
          .bytes_per_cycle = behaviour.bytes_per_cycle,
          .bursts = behaviour.bursts};
}

std::vector<device::CommandWord> without_waits(std::vector<device::CommandWord> commands) {
  for (device::CommandWord& word : commands) {
    if (device::opcode_of(word) != device::Opcode::kFence) continue;
    device::Fence fence = device::decode_fence(word);
    fence.wait_for_host = false;
    word = encode(fence);
  }
  return commands;
}

}  // namespace

std::optional<std::string> check_clocks(const Case& which, ClocksCompared& compared) {
  return check_clocks(which, compared, [](const Case& timed, DeviceMemory& memory) {
    return sim::make_control_device(timed.array_size, memory, timed.behaviour, timed.harness);
  });
}

std::optional<std::string> check_clocks(const Case& which, ClocksCompared& compared,
                                        const DeviceMaker& make_device) {
  const sim::MemoryBehaviour behaviour = calm(which.behaviour);
  if (!has_program_clocks(which.array_size, behaviour)) return std::nullopt;
  Case timed = which;
  timed.behaviour = behaviour;
  timed.harness = {.monitors = false};
  const auto memory = std::make_shared<DeviceMemory>(make_memory(which));
  RegisterDriver driver(std::make_unique<sim::PortDevice>(memory, make_device(timed, *memory)));
  for (const Program& program : which.programs) {
    if (program.ending != Ending::kDone) continue;
    const auto commands = without_waits(program.commands);
    const auto bytes = std::as_bytes(std::span(commands));
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::uint64_t ring = memory->allocate(size);
    memory->write(ring, bytes);
    std::uint64_t base = ring, end = ring + bytes.size();
    for (const Block& block : {which.layout.inputs, which.layout.outputs}) {
      base = std::min(base, block.base);
      end = std::max(end, block.end());
    }
    const ProgramResult run =
        driver.run({.commands = commands, .ring = ring, .base = base, .end = end});
    if (run.fault != device::FaultCode::kNone) {
      return fmt::format("clocks: fault {} at command {}",
                         device::kFaultNames[static_cast<std::size_t>(run.fault)], run.command);
    }
    const auto counts = program_clocks(which.array_size, behaviour, commands);
    if (!counts) return "clocks: program_clocks gives up";
    for (std::size_t i = 0; i < counts->size(); ++i) {
      if ((*counts)[i] == run.counts[i]) continue;
      return fmt::format("the counter {} is {} by program_clocks, {} on the device",
                         device::kCounterNames[i], (*counts)[i], run.counts[i]);
    }
    compared.programs += 1;
    compared.clocks += (*counts)[static_cast<std::size_t>(device::Count::kCycles)];
  }
  return std::nullopt;
}

}  // namespace systole::verify
