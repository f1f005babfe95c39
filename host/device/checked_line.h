#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "host/device/backend_line.h"
#include "host/device/checked_backend.h"

namespace systole {

/// Runs the programs of a line's launches again on a second line of as many cores and compares
/// them, core by core: as CheckedBackend, which each core is.
///
/// Errors   as CheckedBackend's, with the core
class CheckedLine final : public BackendLine {
 public:
  CheckedLine(std::shared_ptr<BackendLine> checked, std::shared_ptr<BackendLine> reference,
              const CheckedBackend::Options& options);

  const std::vector<std::shared_ptr<Backend>>& cores() const override { return backends_; }
  void run(std::span<const PlacedProgram> programs) override;
  bool join(std::shared_ptr<Communicator> ranks) override;

 private:
  bool chooses(std::span<const PlacedProgram> programs);

  std::shared_ptr<BackendLine> checked_, reference_;
  std::vector<std::shared_ptr<CheckedBackend>> cores_;
  std::vector<std::shared_ptr<Backend>> backends_;  ///< the same
  std::size_t first_core_ = 0, all_cores_ = 0;      ///< of all ranks
};

}  // namespace systole
