#pragma once

#include <span>
#include <vector>

#include "host/device/program_device.h"
#include "host/distribute/line_ranks.h"

namespace systole {

/// Cores in a line, each with a link to the one above and to the one below, that run programs
/// together.
///
/// Timing   run returns when every program is done; all start on freshly reset cores with idle
///          links, so clocks do not depend on what ran before
/// Limits   one program a core, core 0's first, each as ProgramDevice's. Where a line goes on over
///          ranks, all of them run together; results are of this rank's cores
/// Errors   faults are returned, each with its core's result; what cores that met none would have
///          counted, on all ranks, is then unknown. The line is usable afterwards. DeviceError if a
///          core hangs, or if a program leaves words on a link, on every rank; RankError when a
///          rank has left
class ProgramLine {
 public:
  virtual ~ProgramLine() = default;

  virtual std::vector<ProgramResult> run(std::span<const PlacedProgram> programs) = 0;

  /// Before the first run: the line goes on over these ranks, each with as many cores. False if it
  /// cannot.
  virtual bool join(const LineRanks& ranks) = 0;
};

}  // namespace systole
