#include "sim/timeline/replay.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "host/device/device_memory.h"
#include "host/device/element_size.h"
#include "host/device/product.h"
#include "host/device/register_driver.h"
#include "sim/timeline/recorded_devices.h"
#include "sim/timeline/replay_memory.h"
#include "sim/timeline/timeline_recorder.h"

namespace systole::sim {

KeptProgram keep(const PlacedProgram& program, const Memory& memory, bool with_memory) {
  KeptProgram kept{.commands = {program.commands.begin(), program.commands.end()},
                   .ring = program.ring,
                   .base = program.base,
                   .end = program.end,
                   .memory = {}};
  const auto add = [&](std::uint64_t address, std::int64_t elements, std::int64_t element_bytes) {
    if (address == 0) return;
    KeptProgram::Block& block = kept.memory.emplace_back();
    block.address = address;
    block.bytes.resize(static_cast<std::size_t>(elements * element_bytes));
    memory.read(address, block.bytes);
  };
  const bool has_kernels = std::ranges::any_of(program.units, [](const ProgramUnit& unit) {
    return std::holds_alternative<KernelUnit>(unit);
  });
  if (program.units.empty() || has_kernels) {
    if (with_memory) {
      add(program.base, static_cast<std::int64_t>(program.end - program.base), 1);
      return kept;
    }
    // How long a run takes depends on its instructions.
    for (const device::CommandWord& command : program.commands) {
      if (device::opcode_of(command) != device::Opcode::kVectorProgram) continue;
      const device::VectorProgram code = device::decode_vector_program(command);
      if (!code.constants) add(code.address, code.count, 8);
    }
    return kept;
  }
  if (!with_memory) return kept;
  for (const ProgramUnit& unit : program.units) {
    const Product& product = std::get<ProductUnit>(unit).product;
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
  TimelineRecorder recorder;
  for (const KeptProgram& program : programs) {
    auto memory = replay_memory(program);
    auto port = make_recorded_device(
        array_size, *memory, behaviour, {.monitors = false},
        [&](const Activity& activity, std::uint64_t clock) { recorder.clock(activity, clock); });
    RegisterDriver driver(std::move(memory), std::move(port));
    driver.run(placed(program));
    recorder.end_program();
  }
  return recorder.timeline();
}

}  // namespace systole::sim
