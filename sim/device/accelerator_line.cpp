#include "host/device/accelerator_line.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace systole {

AcceleratorLine::AcceleratorLine(std::vector<std::shared_ptr<AcceleratorBackend>> cores,
                                 std::unique_ptr<ProgramLine> line)
    : cores_(std::move(cores)), backends_(cores_.begin(), cores_.end()), line_(std::move(line)) {}

void AcceleratorLine::run(std::span<const PlacedProgram> programs) {
  if (programs.size() != cores_.size()) {
    throw std::invalid_argument(
        fmt::format("{} programs for a line of {} cores", programs.size(), cores_.size()));
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->show(programs[i]);
  const std::vector<ProgramResult> results = line_->run(programs);
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (results[i].fault == device::FaultCode::kNone) continue;
    throw DeviceError(
        fmt::format("core {} of {}: {}", i, cores_.size(), fault_words(programs[i], results[i])));
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->count(programs[i], results[i]);
}

}  // namespace systole
