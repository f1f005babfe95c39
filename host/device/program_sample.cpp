#include "host/device/program_sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/device/device_memory.h"

namespace systole {

ProgramSample take_sample(const Memory& memory, const PlacedProgram& program) {
  ProgramSample sample{.commands = {program.commands.begin(), program.commands.end()},
                       .ring = program.ring,
                       .base = program.base,
                       .memory = std::vector<std::byte>(program.end - program.base),
                       .link_patience = program.link_patience};
  memory.read(sample.base, sample.memory);
  return sample;
}

PlacedSample::PlacedSample(Backend& backend, const ProgramSample& sample)
    : memory_(backend.memory()), sample_(sample) {
  const auto ring = std::as_bytes(std::span(sample.commands));
  const std::uint64_t end = std::max(sample.base + sample.memory.size(), sample.ring + ring.size());
  block_ = MemoryBlock(memory_, static_cast<std::int64_t>(end - DeviceMemory::kFirstAddress));
  if (block_.address() != DeviceMemory::kFirstAddress) {
    throw DeviceError(fmt::format("memory of device '{}' begins at {:#x}, not {:#x}",
                                  backend.info().name, block_.address(),
                                  DeviceMemory::kFirstAddress));
  }
  memory_.write(sample.base, sample.memory);
  memory_.write(sample.ring, ring);
}

PlacedProgram PlacedSample::program() const {
  return {.commands = sample_.commands,
          .ring = sample_.ring,
          .base = sample_.base,
          .end = sample_.base + sample_.memory.size(),
          .link_patience = sample_.link_patience};
}

std::vector<std::byte> PlacedSample::memory() const {
  std::vector<std::byte> now(sample_.memory.size());
  memory_.read(sample_.base, now);
  return now;
}

}  // namespace systole
