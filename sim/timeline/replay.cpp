#include "sim/timeline/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "host/driver/device_memory.h"
#include "host/driver/element_size.h"
#include "host/driver/register_driver.h"
#include "host/runtime/program_product.h"
#include "sim/device/control_devices.h"
#include "sim/device/port_device.h"
#include "sim/timeline/recorded_accelerator.h"
#include "sim/timeline/replay_memory.h"

namespace systole::sim {
namespace {

template <int kN>
Timeline record(std::span<const KeptProgram> programs, const MemoryBehaviour& behaviour) {
  TimelineRecorder recorder;
  for (const KeptProgram& program : programs) {
    auto memory = replay_memory(program);
    auto port = std::make_unique<DeviceHarness<RecordedAccelerator<kN>>>(
        std::make_unique<RecordedAccelerator<kN>>(recorder), *memory, behaviour,
        HarnessOptions{.monitors = false});
    RegisterDriver driver(std::make_unique<PortDevice>(std::move(memory), std::move(port)));
    driver.run(placed(program));
    recorder.end_program();
  }
  return recorder.timeline();
}

}  // namespace

KeptProgram keep(const PlacedProgram& program, ProgramDevice& device, bool with_memory) {
  KeptProgram kept{.commands = {program.commands.begin(), program.commands.end()},
                   .ring = program.ring,
                   .base = program.base,
                   .end = program.end,
                   .memory = {}};
  if (!with_memory || program.products == nullptr) return kept;
  const auto add = [&](std::uint64_t address, std::int64_t elements, std::int64_t element_bytes) {
    if (address == 0) return;
    KeptProgram::Block& block = kept.memory.emplace_back();
    block.address = address;
    block.bytes.resize(static_cast<std::size_t>(elements * element_bytes));
    device.read_memory(address, block.bytes);
  };
  for (const ProgramProduct& product : *program.products) {
    const std::int64_t element = operand_size_bytes(product.type);
    add(product.a, product.rows * product.depth, element);
    add(product.b, product.depth * product.cols, element);
    add(product.bias, product.cols, kSumSizeBytes);
    add(product.mask, product.rows * product.cols, operand_size_bytes(product.mask_type));
    if (product.accumulate) add(product.c, product.rows * product.cols, kSumSizeBytes);
  }
  return kept;
}

Timeline record_timeline(std::span<const KeptProgram> programs, int array_size,
                         const MemoryBehaviour& behaviour) {
  switch (array_size) {
    case 4:
      return record<4>(programs, behaviour);
    case 8:
      return record<8>(programs, behaviour);
    case 16:
      return record<16>(programs, behaviour);
    case 32:
      return record<32>(programs, behaviour);
    case 64:
      return record<64>(programs, behaviour);
    case 128:
      return record<128>(programs, behaviour);
    default:
      throw std::invalid_argument(fmt::format("no timeline for an array of size {}: there are {}",
                                              array_size, fmt::join(control_sizes(), ", ")));
  }
}

}  // namespace systole::sim
