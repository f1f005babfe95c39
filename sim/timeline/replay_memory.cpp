#include "sim/timeline/replay_memory.h"

#include <algorithm>

namespace systole::sim {

std::shared_ptr<DeviceMemory> replay_memory(const KeptProgram& program) {
  constexpr auto kAlignment = static_cast<std::uint64_t>(DeviceMemory::kAlignment);
  const std::uint64_t ring_end = program.ring + 16 * program.commands.size();
  const bool has_operands = program.end > program.base;
  std::uint64_t first = has_operands ? std::min(program.ring, program.base) : program.ring;
  const std::uint64_t end = has_operands ? std::max(ring_end, program.end) : ring_end;
  first = first / kAlignment * kAlignment;
  auto memory = std::make_shared<DeviceMemory>(DeviceMemory::kDefaultCapacityBytes, first);
  memory->allocate(static_cast<std::int64_t>(end - first));
  memory->write(program.ring, std::as_bytes(std::span(program.commands)));
  for (const KeptProgram::Block& block : program.memory) memory->write(block.address, block.bytes);
  return memory;
}

PlacedProgram placed(const KeptProgram& program) {
  return {
      .commands = program.commands, .ring = program.ring, .base = program.base, .end = program.end};
}

}  // namespace systole::sim
