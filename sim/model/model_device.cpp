#include "sim/model/model_device.h"

#include <utility>

namespace systole {
namespace {

constexpr std::uint64_t kPage = 4096;

/// The command, its address taken within its 4 KiB.
device::CommandWord within_page(const device::CommandWord& command) {
  switch (device::opcode_of(command)) {
    case device::Opcode::kLoad: {
      auto load = device::decode_load(command);
      load.address %= kPage;
      return encode(load, device::tokens_of(command));
    }
    case device::Opcode::kStore: {
      auto store = device::decode_store(command);
      store.address %= kPage;
      return encode(store, device::tokens_of(command));
    }
    default:
      return command;
  }
}

}  // namespace

std::size_t ModelDevice::Hash::operator()(const Key& key) const {
  std::uint64_t hash = key.ring;
  for (const device::CommandWord& command : key.commands) {
    for (const std::uint64_t half : {command.low, command.high}) {
      hash = (hash ^ half) * 0x9e37'79b9'7f4a'7c15U;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

ModelDevice::ModelDevice(int array_size, int threads, std::shared_ptr<DeviceMemory> memory,
                         std::unique_ptr<ProgramDevice> clocked, sim::MemoryBehaviour behaviour)
    : memory_(std::move(memory)),
      values_(array_size, threads, seen_),
      clocked_(std::move(clocked)),
      behaviour_(std::move(behaviour)) {}

ModelDevice::Key ModelDevice::key_of(const PlacedProgram& program) {
  Key key{.commands = {}, .ring = program.ring % kPage};
  key.commands.reserve(program.commands.size());
  for (const device::CommandWord& command : program.commands) {
    key.commands.push_back(within_page(command));
  }
  return key;
}

ProgramResult ModelDevice::run(const PlacedProgram& program) {
  const ProgramFault fault = values_.run(program);
  if (fault.code != device::FaultCode::kNone) {
    // The device says which fault comes first in time.
    ProgramResult result = clocked_->run(program);
    if (result.fault == device::FaultCode::kNone) {
      result.fault = fault.code;
      result.command = fault.command;
      result.address = fault.address;
    }
    return result;
  }
  Key key = key_of(program);
  if (const auto known = known_.find(key); known != known_.end()) return {.counts = known->second};
  ProgramResult result;
  if (const auto counts = program_clocks(shape().array_size, behaviour_, program.commands)) {
    result.counts = *counts;
  } else {
    result = clocked_->run(program);
    if (result.fault != device::FaultCode::kNone) return result;
  }
  known_.emplace(std::move(key), result.counts);
  return result;
}

}  // namespace systole
