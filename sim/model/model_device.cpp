#include "sim/model/model_device.h"

#include <future>
#include <utility>

#include "sim/model/first_run_notice.h"

namespace systole {

std::size_t ModelDevice::Hash::operator()(const ClockKey& key) const {
  std::uint64_t hash = 0;
  for (const device::CommandWord& command : key) {
    for (const std::uint64_t half : {command.low, command.high}) {
      hash = (hash ^ half) * 0x9e37'79b9'7f4a'7c15U;
      hash ^= hash >> 29;
    }
  }
  return hash;
}

ModelDevice::ModelDevice(int array_size, int threads, std::shared_ptr<DeviceMemory> memory,
                         std::unique_ptr<ProgramDevice> clocked,
                         const sim::MemoryBehaviour& behaviour, ProgramClocks& clocks)
    : memory_(std::move(memory)),
      values_(array_size, threads, seen_, clocks.disk(), behaviour.bus_bytes),
      clocked_(std::move(clocked)),
      device_(clocked_device(array_size, behaviour)),
      clocks_(&clocks) {}

ProgramResult ModelDevice::run(const PlacedProgram& program) {
  if (const auto found = numbered_.find(program.number); found != numbered_.end()) {
    return run_known(program, found->second);
  }
  ClockKey key = clock_key(program, seen_, sizes());
  const auto known = known_.find(key);
  if (known == known_.end()) return run_first(program, std::move(key));
  if (program.number != 0) numbered_.emplace(program.number, known->second);
  return run_known(program, known->second);
}

ProgramResult ModelDevice::run_known(const PlacedProgram& program,
                                     const ProgramClocks::Counters& counters) {
  const ProgramFault fault = values_.run(program);
  return fault.code == device::FaultCode::kNone ? ProgramResult{.counts = counters}
                                                : fault_in_time(program, fault);
}

ProgramResult ModelDevice::run_first(const PlacedProgram& program, ClockKey key) {
  auto counted = std::async(std::launch::async, [&] {
    return clocks_->find_or_count(clock_identity(device_, key), [&] {
      const FirstRunNotice::Run told(FirstRunNotice::of_clocks());
      return clocked_->run(program);
    });
  });
  const ProgramFault fault = values_.run(program);
  const ProgramResult result = counted.get();
  if (result.fault != device::FaultCode::kNone) return result;
  if (fault.code != device::FaultCode::kNone) return fault_in_time(program, fault);
  know(std::move(key), result.counts);
  return result;
}

void ModelDevice::know(ClockKey key, const ProgramClocks::Counters& counters) {
  known_commands_ += key.size();
  if (known_commands_ > kMostCommands) {
    known_.clear();
    known_commands_ = key.size();
  }
  known_.emplace(std::move(key), counters);
}

ProgramResult ModelDevice::fault_in_time(const PlacedProgram& program, const ProgramFault& fault) {
  ProgramResult result = clocked_->run(program);
  if (result.fault == device::FaultCode::kNone) {
    result.fault = fault.code;
    result.command = fault.command;
    result.address = fault.address;
  }
  return result;
}

}  // namespace systole
