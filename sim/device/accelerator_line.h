#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "host/device/accelerator_backend.h"
#include "host/device/backend_line.h"
#include "host/device/device_memory.h"
#include "sim/device/program_line.h"

namespace systole {

/// Accelerators whose programs a ProgramLine runs together.
class AcceleratorLine final : public BackendLine {
 public:
  using Memories = std::vector<std::shared_ptr<DeviceMemory>>;
  using MakeCore = std::function<std::shared_ptr<AcceleratorBackend>(std::shared_ptr<DeviceMemory>,
                                                                     const DeviceOptions&)>;
  using MakeLine = std::function<std::unique_ptr<ProgramLine>(Memories, const DeviceSizes&)>;

  /// Makes each core over a memory of its own, and the line over all memories.
  AcceleratorLine(const DeviceOptions& options, int cores, const MakeCore& make_core,
                  const MakeLine& make_line);

  const std::vector<std::shared_ptr<Backend>>& cores() const override { return backends_; }
  void run(std::span<const PlacedProgram> programs) override;
  bool join(std::shared_ptr<Communicator> ranks) override;

 private:
  std::vector<PlacedProgram> of_one_patience(std::span<const PlacedProgram> programs) const;

  std::vector<std::shared_ptr<AcceleratorBackend>> cores_;
  std::vector<std::shared_ptr<Backend>> backends_;
  std::unique_ptr<ProgramLine> line_;
  LineRanks ranks_;
  std::uint64_t slowness_;
};

}  // namespace systole
