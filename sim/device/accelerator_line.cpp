#include "sim/device/accelerator_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "sim/device/device_info.h"
#include "systole/support/ceil_div.h"

namespace systole {
namespace {

/// How many times as long as estimated a program may take, since estimates are for the default
/// memory.
std::uint64_t slowness(const DeviceOptions& options) {
  const MemoryOptions& memory = options.memory;
  const int bus = sim::bus_bytes(options);
  const int bytes = memory.bytes_per_cycle == 0 ? bus : std::min(memory.bytes_per_cycle, bus);
  return static_cast<std::uint64_t>(ceil_div(bus, bytes)) *
         static_cast<std::uint64_t>(
             ceil_div(memory.latency_cycles, MemoryOptions{}.latency_cycles));
}

}  // namespace

AcceleratorLine::AcceleratorLine(const DeviceOptions& options, int cores, const MakeCore& make_core,
                                 const MakeLine& make_line)
    : slowness_(slowness(options)) {
  Memories memories;
  for (int core = 0; core < cores; ++core) {
    memories.push_back(sim::device_memory(options));
    cores_.push_back(make_core(memories.back(), options));
  }
  backends_.assign(cores_.begin(), cores_.end());
  line_ = make_line(std::move(memories), *cores_.front()->sizes());
}

// A core of few rows waits for one of more, and all for their memories.
std::vector<PlacedProgram> AcceleratorLine::of_one_patience(
    std::span<const PlacedProgram> programs) const {
  std::vector<PlacedProgram> all(programs.begin(), programs.end());
  const std::uint32_t own =
      std::ranges::max(programs, {}, &PlacedProgram::link_patience).link_patience;
  const std::uint32_t most = std::ranges::max(ranks_.gather<std::uint32_t>({&own, 1}));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  for (PlacedProgram& program : all) {
    program.link_patience = static_cast<std::uint32_t>(std::min(slowness_ * most, kMost));
  }
  return all;
}

bool AcceleratorLine::join(std::shared_ptr<Communicator> ranks) {
  const LineRanks joined(std::move(ranks));
  if (!line_->join(joined)) return false;
  ranks_ = joined;
  return true;
}

void AcceleratorLine::run(std::span<const PlacedProgram> programs) {
  if (programs.size() != cores_.size()) {
    throw std::invalid_argument(
        fmt::format("{} programs for a line of {} cores", programs.size(), cores_.size()));
  }
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->show(programs[i]);
  const std::vector<ProgramResult> results = line_->run(of_one_patience(programs));
  std::string fault;
  for (std::size_t i = 0; i < cores_.size() && fault.empty(); ++i) {
    if (results[i].fault == device::FaultCode::kNone) continue;
    fault = fmt::format("core {} of {}: {}",
                        static_cast<std::size_t>(ranks_.rank()) * cores_.size() + i,
                        static_cast<std::size_t>(ranks_.size()) * cores_.size(),
                        fault_words(programs[i], results[i]));
  }
  fault = ranks_.first_words(fault);
  if (!fault.empty()) throw DeviceError(fault);
  for (std::size_t i = 0; i < cores_.size(); ++i) cores_[i]->count(programs[i], results[i]);
}

}  // namespace systole
