#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/device/device_memory.h"
#include "host/device/program_device.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/model/clock_key.h"
#include "sim/model/model_memory.h"
#include "sim/model/program_clocks.h"
#include "sim/model/program_values.h"

namespace systole {

/// The device in two parts: ProgramValues computes a program's results, and `clocked`, a device
/// without a data path, counts its clocks. Both work in parallel when a program first runs. The
/// counters are kept in `clocks`, so a program is timed once on a machine.
///
/// Two programs count as the same if their ClockKeys are equal.
///
/// Limits   `clocked` works on `memory`, which behaves like `behaviour` and never fails; it reads
///          commands from there and writes nothing. A program must not write to its own commands
///          and instructions; one that faults may have stored different parts than the device would
///          have
class ModelDevice final : public ProgramDevice {
 public:
  ModelDevice(int array_size, int threads, std::shared_ptr<DeviceMemory> memory,
              std::unique_ptr<ProgramDevice> clocked, const sim::MemoryBehaviour& behaviour = {},
              ProgramClocks& clocks = ProgramClocks::of_process());

  const DeviceSizes& sizes() const override { return clocked_->sizes(); }
  ProgramResult run(const PlacedProgram& program) override;
  Memory& memory() override { return *memory_; }

  /// Programs whose clocks this device knows.
  std::size_t known_programs() const { return known_.size(); }

 private:
  struct Hash {
    std::size_t operator()(const ClockKey& key) const;
  };
  /// Commands of all keys in known_: 256 MiB. Beyond that, keys begin again, and counters are found
  /// in ProgramClocks.
  static constexpr std::size_t kMostCommands = std::size_t{1} << 24;

  void know(ClockKey key, const ProgramClocks::Counters& counters);
  ProgramResult run_known(const PlacedProgram& program, const ProgramClocks::Counters& counters);
  ProgramResult run_first(const PlacedProgram& program, ClockKey key);
  /// The device's own result for a program that faults: it knows which fault comes first in time.
  ProgramResult fault_in_time(const PlacedProgram& program, const ProgramFault& fault);

  std::shared_ptr<DeviceMemory> memory_;
  ModelMemory seen_{*memory_};
  ProgramValues values_;
  std::unique_ptr<ProgramDevice> clocked_;
  std::string device_;  // the device's part of a program's identity
  ProgramClocks* clocks_;
  std::size_t known_commands_ = 0;
  std::unordered_map<ClockKey, ProgramClocks::Counters, Hash> known_;
  std::unordered_map<std::uint64_t, ProgramClocks::Counters> numbered_;  // by PlacedProgram::number
};

}  // namespace systole
