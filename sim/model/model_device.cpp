#include "sim/model/model_device.h"

#include <algorithm>
#include <utility>

namespace systole {
namespace {

std::uint64_t hash_of(const PlacedProgram& program) {
  std::uint64_t hash = program.ring;
  for (const device::CommandWord& command : program.commands) {
    for (const std::uint64_t half : {command.low, command.high}) {
      hash = (hash ^ half) * 0x9e37'79b9'7f4a'7c15U;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

}  // namespace

ModelDevice::ModelDevice(int array_size, int threads, std::shared_ptr<DeviceMemory> memory,
                         std::unique_ptr<ProgramDevice> clocked)
    : memory_(std::move(memory)),
      values_(array_size, threads, seen_),
      clocked_(std::move(clocked)) {}

const ModelDevice::Known* ModelDevice::find(std::uint64_t hash,
                                            const PlacedProgram& program) const {
  const auto [first, last] = known_.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    const Known& known = entry->second;
    if (known.ring == program.ring && known.base == program.base && known.end == program.end &&
        std::ranges::equal(known.commands, program.commands)) {
      return &known;
    }
  }
  return nullptr;
}

ProgramResult ModelDevice::run(const PlacedProgram& program) {
  const std::uint64_t hash = hash_of(program);
  const Known* known = find(hash, program);
  if (known == nullptr) {
    const ProgramResult result = clocked_->run(program);
    if (result.fault == device::FaultCode::kNone) {
      known_.emplace(hash, Known{.commands = {program.commands.begin(), program.commands.end()},
                                 .ring = program.ring,
                                 .base = program.base,
                                 .end = program.end,
                                 .counts = result.counts});
    }
    return result;
  }
  const ProgramFault fault = values_.run(program);
  return {.counts = known->counts,
          .fault = fault.code,
          .command = fault.command,
          .address = fault.address};
}

}  // namespace systole
