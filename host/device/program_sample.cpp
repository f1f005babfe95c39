#include "host/device/program_sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/device/device_memory.h"

namespace systole {

ProgramSample take_sample(const Memory& memory, const PlacedProgram& program) {
  ProgramSample sample{.commands = {program.commands.begin(), program.commands.end()},
                       .ring = program.ring,
                       .base = program.base,
                       .memory = std::vector<std::byte>(program.end - program.base)};
  memory.read(sample.base, sample.memory);
  return sample;
}

std::vector<std::byte> run_sample(Backend& backend, const ProgramSample& sample) {
  const auto ring = std::as_bytes(std::span(sample.commands));
  const std::uint64_t end = sample.base + sample.memory.size();
  const auto size_bytes = static_cast<std::int64_t>(std::max(end, sample.ring + ring.size()) -
                                                    DeviceMemory::kFirstAddress);
  Memory& memory = backend.memory();
  const MemoryBlock all(memory, size_bytes);
  if (all.address() != DeviceMemory::kFirstAddress) {
    throw DeviceError(fmt::format("memory of device '{}' begins at {:#x}, not {:#x}",
                                  backend.info().name, all.address(), DeviceMemory::kFirstAddress));
  }
  memory.write(sample.base, sample.memory);
  memory.write(sample.ring, ring);
  backend.run({.commands = sample.commands, .ring = sample.ring, .base = sample.base, .end = end});
  std::vector<std::byte> after(sample.memory.size());
  memory.read(sample.base, after);
  return after;
}

}  // namespace systole
