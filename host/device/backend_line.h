#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/device/backend.h"

namespace systole {

/// Backends of one kind whose cores have links. Each also runs programs alone.
class BackendLine {
 public:
  virtual ~BackendLine() = default;

  virtual const std::vector<std::shared_ptr<Backend>>& cores() const = 0;

  /// Runs programs[i], which lies in cores()[i]'s memory, on all cores together; each core counts
  /// its clocks.
  ///
  /// Errors   DeviceError for a fault, with the core and the command: all results are then unknown;
  ///          std::invalid_argument unless there is a program for each core
  virtual void run(std::span<const PlacedProgram> programs) = 0;
};

}  // namespace systole
