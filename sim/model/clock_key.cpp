#include "sim/model/clock_key.h"

#include <fmt/format.h>

#include <cstring>

#include "host/device/digest.h"
#include "model_sources.h"
#include "sim/model/clock_places.h"

namespace systole {

ClockKey clock_key(const PlacedProgram& program, ProgramMemory& memory, const DeviceSizes& sizes) {
  ClockKey key;
  key.reserve(program.commands.size());
  ClockPlaces places(sizes.array_size, sizes.bus_bytes);
  for (const device::CommandWord& command : program.commands) {
    key.push_back(places.reduced(command));
  }
  // What the vector unit does in a clock follows from its instructions.
  for (const device::CommandWord& command : program.commands) {
    if (device::opcode_of(command) != device::Opcode::kVectorProgram) continue;
    const device::VectorProgram load = device::decode_vector_program(command);
    if (load.constants) continue;
    const std::int64_t size = load.count * std::int64_t{sizeof(std::uint64_t)};
    const std::byte* code = memory.locate(load.address, size);
    for (std::size_t i = 0; code != nullptr && i < load.count; ++i) {
      std::memcpy(&key.emplace_back().low, code + 8 * i, sizeof(std::uint64_t));
    }
  }
  return key;
}

std::string clocked_device(int array_size, const sim::MemoryBehaviour& memory) {
  const sim::MemoryStalls& stalls = memory.stalls;
  return fmt::format(
      "array {}, bus {}\n"
      "memory latency {}, write latency {}, bytes a clock {}, bursts {}\n"
      "memory stalls {} {} {} {} {}, mixed {}, seed {}",
      array_size, memory.bus_bytes == 0 ? array_size : memory.bus_bytes, memory.latency,
      memory.write_latency, memory.bytes_per_cycle, memory.bursts, stalls.read_request, stalls.read,
      stalls.write_request, stalls.write, stalls.response, memory.mix_reads, memory.seed);
}

std::string clock_identity(const std::string& clocked_device, const ClockKey& key) {
  return fmt::format("clocks of a program\nsources {}\n{}\nring anywhere\ncommands {}\ndigest {}",
                     kModelSources, clocked_device, key.size(),
                     Digest().add(std::as_bytes(std::span(key))).hex());
}

}  // namespace systole
