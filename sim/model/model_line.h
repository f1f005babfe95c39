#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/device/device_memory.h"
#include "sim/device/program_line.h"
#include "sim/memory/memory_behaviour.h"
#include "sim/model/model_memory.h"
#include "sim/model/program_clocks.h"
#include "sim/model/program_values.h"

namespace systole {

/// Cores in a line, each in two parts as ModelDevice: ProgramValues computes the results of all
/// programs together, and `clocked`, a line without a data path, counts their joint clocks. The
/// counters of a set of programs are kept in `clocks`, so that a set is timed once on a machine.
///
/// Limits   as ModelDevice's; `clocked` works on `memories`
class ModelLine final : public ProgramLine {
 public:
  ModelLine(const DeviceSizes& sizes, int threads,
            std::vector<std::shared_ptr<DeviceMemory>> memories,
            std::unique_ptr<ProgramLine> clocked, const sim::MemoryBehaviour& behaviour = {},
            ProgramClocks& clocks = ProgramClocks::of_process());

  std::vector<ProgramResult> run(std::span<const PlacedProgram> programs) override;
  bool join(const LineRanks& ranks) override;

 private:
  using Programs = std::span<const PlacedProgram>;
  using Results = std::vector<ProgramResult>;

  std::vector<ProgramMemory*> seen();
  /// What the counters of each core are kept under, whatever ranks the line is divided into.
  std::vector<std::string> identities_of(Programs programs);
  Results count(Programs programs);
  Results run_first(Programs programs);
  /// The line's own results for programs of which one faults: it knows which fault comes first.
  Results faults_in_time(Programs programs, std::span<const ProgramFault> faults);

  LineRanks ranks_;
  DeviceSizes sizes_;
  std::vector<std::shared_ptr<DeviceMemory>> memories_;
  std::deque<ModelMemory> seen_;
  std::unique_ptr<ProgramLine> clocked_;
  std::string device_;
  ProgramClocks* clocks_;
  ProgramValues values_;
  std::map<std::vector<std::uint64_t>, Results> known_;  ///< by PlacedProgram::number
};

}  // namespace systole
