#include "sim/timeline/replay.h"

#include <memory>
#include <utility>

#include "host/driver/device_memory.h"
#include "host/driver/element_size.h"
#include "host/driver/product.h"
#include "host/driver/register_driver.h"
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
  if (!with_memory || program.products == nullptr) return kept;
  const auto add = [&](std::uint64_t address, std::int64_t elements, std::int64_t element_bytes) {
    if (address == 0) return;
    KeptProgram::Block& block = kept.memory.emplace_back();
    block.address = address;
    block.bytes.resize(static_cast<std::size_t>(elements * element_bytes));
    memory.read(address, block.bytes);
  };
  for (const Product& product : *program.products) {
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
