#pragma once

#include <memory>
#include <span>
#include <vector>

#include "host/device/accelerator_backend.h"
#include "host/device/backend_line.h"
#include "host/device/program_line.h"

namespace systole {

/// Accelerators whose programs a ProgramLine runs together.
class AcceleratorLine final : public BackendLine {
 public:
  /// `line` runs programs that lie in the memories of `cores`.
  AcceleratorLine(std::vector<std::shared_ptr<AcceleratorBackend>> cores,
                  std::unique_ptr<ProgramLine> line);

  const std::vector<std::shared_ptr<Backend>>& cores() const override { return backends_; }
  void run(std::span<const PlacedProgram> programs) override;

 private:
  std::vector<std::shared_ptr<AcceleratorBackend>> cores_;
  std::vector<std::shared_ptr<Backend>> backends_;
  std::unique_ptr<ProgramLine> line_;
};

}  // namespace systole
