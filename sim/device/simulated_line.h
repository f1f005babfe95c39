#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/device/device_memory.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"
#include "sim/device/program_line.h"

namespace systole::sim {

/// Simulated accelerators in a CoreLine, driven through their registers.
///
/// Timing   the first run makes the cores. The run after a fault makes new ones: this resets the
///          line
class SimulatedLine final : public ProgramLine {
 public:
  /// Makes a core over its memory.
  using MakeDevice =
      std::function<std::unique_ptr<DevicePort>(DeviceMemory& memory, const HarnessOptions&)>;

  SimulatedLine(std::vector<std::shared_ptr<DeviceMemory>> memories, int threads,
                MakeDevice make_device);
  ~SimulatedLine() override;

  std::vector<ProgramResult> run(std::span<const PlacedProgram> programs) override;

  /// In the next run, holds beats from the core below for the first `clocks` clocks.
  void stall_from_below(int core, std::uint64_t clocks);

 private:
  struct Cores;
  Cores& need_cores();

  std::vector<std::shared_ptr<DeviceMemory>> memories_;
  int threads_;
  MakeDevice make_device_;
  std::unique_ptr<Cores> cores_;
};

}  // namespace systole::sim
