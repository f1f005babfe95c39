#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "host/driver/device_memory.h"
#include "host/driver/program_device.h"
#include "sim/model/program_values.h"

namespace systole {

/// The device without its clocks being simulated, but for the first time that a program runs: what
/// it does comes from ProgramValues, what it costs from the clocked device, which has run it once.
///
/// A program's clocks depend on its commands and addresses and on nothing else: every run starts on
/// a device that was reset, and no clock depends on data.
///
/// Limits   `clocked` works on `memory`, and gives the same bits
class ModelDevice final : public ProgramDevice {
 public:
  ModelDevice(int array_size, int threads, std::shared_ptr<DeviceMemory> memory,
              std::unique_ptr<ProgramDevice> clocked);

  DeviceShape shape() const override { return clocked_->shape(); }
  ProgramResult run(const PlacedProgram& program) override;

  std::uint64_t allocate(std::int64_t size_bytes) override { return memory_->allocate(size_bytes); }
  void free(std::uint64_t address) override { memory_->free(address); }
  void write_memory(std::uint64_t address, std::span<const std::byte> source) override {
    memory_->write(address, source);
  }
  void read_memory(std::uint64_t address, std::span<std::byte> destination) override {
    memory_->read(address, destination);
  }

  /// Programs whose clocks are known.
  std::size_t known_programs() const { return known_.size(); }

 private:
  class Memory final : public ProgramMemory {
   public:
    explicit Memory(DeviceMemory& memory) : memory_(memory) {}
    std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
      return memory_.find(address, static_cast<std::uint64_t>(size_bytes));
    }

   private:
    DeviceMemory& memory_;
  };
  struct Known {
    std::vector<device::CommandWord> commands;
    std::uint64_t ring, base, end;
    std::array<std::uint64_t, device::kCounters> counts;
  };
  const Known* find(std::uint64_t hash, const PlacedProgram& program) const;

  std::shared_ptr<DeviceMemory> memory_;
  Memory seen_{*memory_};
  ProgramValues values_;
  std::unique_ptr<ProgramDevice> clocked_;
  std::unordered_multimap<std::uint64_t, Known> known_;
};

}  // namespace systole
