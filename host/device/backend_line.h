#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/device/backend.h"

namespace systole {

class Communicator;

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

  /// Before the first run: the line goes on over these ranks, of which each has a line of as many
  /// cores and runs it when the others do; the cores of rank r + 1 stand above those of rank r. A
  /// core's fault is then an error on every rank. False if the line cannot.
  virtual bool join(std::shared_ptr<Communicator> ranks) = 0;
};

}  // namespace systole
