#include "sim/device/accelerator_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sim/device/device_info.h"

namespace systole {
namespace {

// A core of few rows waits for one of more.
std::vector<PlacedProgram> of_one_patience(std::span<const PlacedProgram> programs) {
  std::vector<PlacedProgram> all(programs.begin(), programs.end());
  const std::uint32_t most =
      std::ranges::max(programs, {}, &PlacedProgram::link_patience).link_patience;
  for (PlacedProgram& program : all) program.link_patience = most;
  return all;
}

}  // namespace

AcceleratorLine::AcceleratorLine(const DeviceOptions& options, int cores, const MakeCore& make_core,
                                 const MakeLine& make_line) {
  Memories memories;
  for (int core = 0; core < cores; ++core) {
    memories.push_back(sim::device_memory(options));
    cores_.push_back(make_core(memories.back(), options));
  }
  backends_.assign(cores_.begin(), cores_.end());
  line_ = make_line(std::move(memories), *cores_.front()->sizes());
}

void AcceleratorLine::run(std::span<const PlacedProgram> programs) {
  if (programs.size() != cores_.size()) {
    throw std::invalid_argument(
        fmt::format("{} programs for a line of {} cores", programs.size(), cores_.size()));
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->show(programs[i]);
  const std::vector<ProgramResult> results = line_->run(of_one_patience(programs));
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (results[i].fault == device::FaultCode::kNone) continue;
    throw DeviceError(
        fmt::format("core {} of {}: {}", i, cores_.size(), fault_words(programs[i], results[i])));
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->count(programs[i], results[i]);
}

}  // namespace systole
