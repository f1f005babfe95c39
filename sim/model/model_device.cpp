#include "sim/model/model_device.h"

#include <fmt/format.h>

#include <cstring>
#include <future>
#include <span>
#include <utility>

#include "host/device/digest.h"
#include "model_sources.h"
#include "sim/model/clock_places.h"
#include "sim/model/first_run_notice.h"

namespace systole {
namespace {

/// Everything about an error-free memory on which clocks depend.
std::string describe(int array_size, const sim::MemoryBehaviour& memory) {
  const sim::MemoryStalls& stalls = memory.stalls;
  return fmt::format(
      "array {}, bus {}\n"
      "memory latency {}, write latency {}, bytes a clock {}, bursts {}\n"
      "memory stalls {} {} {} {} {}, mixed {}, seed {}",
      array_size, memory.bus_bytes == 0 ? array_size : memory.bus_bytes, memory.latency,
      memory.write_latency, memory.bytes_per_cycle, memory.bursts, stalls.read_request, stalls.read,
      stalls.write_request, stalls.write, stalls.response, memory.mix_reads, memory.seed);
}

}  // namespace

std::size_t ModelDevice::Hash::operator()(const Key& key) const {
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
      device_(describe(array_size, behaviour)),
      clocks_(&clocks) {}

ModelDevice::Key ModelDevice::key_of(const PlacedProgram& program) {
  Key key;
  key.reserve(program.commands.size());
  ClockPlaces places(sizes().array_size, sizes().bus_bytes);
  for (const device::CommandWord& command : program.commands) {
    key.push_back(places.reduced(command));
  }
  // What the vector unit does in a clock follows from its instructions.
  for (const device::CommandWord& command : program.commands) {
    if (device::opcode_of(command) != device::Opcode::kVectorProgram) continue;
    const device::VectorProgram load = device::decode_vector_program(command);
    if (load.constants) continue;
    const std::int64_t size = load.count * std::int64_t{sizeof(std::uint64_t)};
    const std::byte* code = seen_.locate(load.address, size);
    for (std::size_t i = 0; code != nullptr && i < load.count; ++i) {
      std::memcpy(&key.emplace_back().low, code + 8 * i, sizeof(std::uint64_t));
    }
  }
  return key;
}

std::string ModelDevice::identity_of(const Key& key) const {
  return fmt::format("clocks of a program\nsources {}\n{}\nring anywhere\ncommands {}\ndigest {}",
                     kModelSources, device_, key.size(),
                     Digest().add(std::as_bytes(std::span(key))).hex());
}

ProgramResult ModelDevice::run(const PlacedProgram& program) {
  if (const auto found = numbered_.find(program.number); found != numbered_.end()) {
    return run_known(program, found->second);
  }
  Key key = key_of(program);
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

ProgramResult ModelDevice::run_first(const PlacedProgram& program, Key key) {
  auto counted = std::async(std::launch::async, [&] {
    return clocks_->find_or_count(identity_of(key), [&] {
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

void ModelDevice::know(Key key, const ProgramClocks::Counters& counters) {
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
