#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/device/device_memory.h"
#include "host/device/register_driver.h"
#include "sim/device/device_harness.h"
#include "sim/device/device_port.h"
#include "sim/device/line_cores.h"
#include "sim/device/program_line.h"

namespace systole::sim {

/// Simulated accelerators in a line, driven through their registers: in a CoreLine, unless told.
///
/// Timing   the first run makes the cores. The run after a fault makes new ones: this resets the
///          line
class SimulatedLine final : public ProgramLine {
 public:
  /// Makes a core over its memory.
  using MakeDevice =
      std::function<std::unique_ptr<DevicePort>(DeviceMemory& memory, const HarnessOptions&)>;

  using Memories = std::vector<std::shared_ptr<DeviceMemory>>;
  using MakeCores = std::function<std::unique_ptr<LineCores>(const Memories&, const LineRanks&)>;

  SimulatedLine(Memories memories, int threads, MakeDevice make_device);
  /// `joins_ranks`: whether what make_cores makes goes on over ranks.
  SimulatedLine(Memories memories, MakeCores make_cores, bool joins_ranks = false);
  ~SimulatedLine() override;

  std::vector<ProgramResult> run(std::span<const PlacedProgram> programs) override;
  bool join(const LineRanks& ranks) override;

  /// In the next run, holds beats from the core below for the first `clocks` clocks.
  void stall_from_below(int core, std::uint64_t clocks);

 private:
  LineCores& need_cores();
  void run_once(std::span<const PlacedProgram> programs, std::span<ProgramResult> results);
  void run_all(const std::function<void(std::size_t core)>& host);

  Memories memories_;
  MakeCores make_cores_;
  bool joins_ranks_;
  LineRanks ranks_;
  std::unique_ptr<LineCores> cores_;
  std::vector<std::unique_ptr<RegisterDriver>> drivers_;  ///< of these cores
};

}  // namespace systole::sim
