#include "sim/model/model_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "sim/model/clock_key.h"
#include "sim/model/first_run_notice.h"

namespace systole {
namespace {

bool is_fault(const ProgramResult& result) { return result.fault != device::FaultCode::kNone; }
bool is_fault(const ProgramFault& fault) { return fault.code != device::FaultCode::kNone; }

bool any_fault(const auto& ends) {
  return std::ranges::any_of(ends, [](const auto& end) { return is_fault(end); });
}

}  // namespace

ModelLine::ModelLine(const DeviceSizes& sizes, int threads,
                     std::vector<std::shared_ptr<DeviceMemory>> memories,
                     std::unique_ptr<ProgramLine> clocked, const sim::MemoryBehaviour& behaviour,
                     ProgramClocks& clocks)
    : sizes_(sizes),
      memories_(std::move(memories)),
      clocked_(std::move(clocked)),
      device_(clocked_device(sizes.array_size, behaviour)),
      clocks_(&clocks),
      values_(sizes.array_size, threads, seen(), clocks.disk(), behaviour.bus_bytes) {}

std::vector<ProgramMemory*> ModelLine::seen() {
  std::vector<ProgramMemory*> all;
  for (const auto& memory : memories_) all.push_back(&seen_.emplace_back(*memory));
  return all;
}

ModelLine::Results ModelLine::run(Programs programs) {
  std::vector<std::uint64_t> numbers;
  for (const PlacedProgram& program : programs) numbers.push_back(program.number);
  const auto known = known_.find(numbers);
  if (known == known_.end()) {
    Results results = run_first(programs);
    if (!any_fault(results) && !std::ranges::count(numbers, 0U)) known_.emplace(numbers, results);
    return results;
  }
  const std::vector<ProgramFault> faults = values_.run(programs);
  return any_fault(faults) ? faults_in_time(programs, faults) : known->second;
}

ModelLine::Results ModelLine::run_first(Programs programs) {
  auto counted = std::async(std::launch::async, [&] { return count(programs); });
  const std::vector<ProgramFault> faults = values_.run(programs);
  Results results = counted.get();
  if (any_fault(results) || !any_fault(faults)) return results;
  return faults_in_time(programs, faults);
}

ModelLine::Results ModelLine::count(Programs programs) {
  ClockKey all;
  for (std::size_t core = 0; core < programs.size(); ++core) {
    const ClockKey key = clock_key(programs[core], seen_[core], sizes_);
    all.push_back({.low = key.size(), .high = core});
    all.insert(all.end(), key.begin(), key.end());
  }
  const std::string identity = clock_identity(device_, all);
  Results counted;
  Results results;
  for (std::size_t core = 0; core < programs.size(); ++core) {
    results.push_back(clocks_->find_or_count(
        fmt::format("{}\ncore {} of {}", identity, core, programs.size()), [&] {
          if (counted.empty()) {
            const FirstRunNotice::Run told(FirstRunNotice::of_clocks());
            counted = clocked_->run(programs);
          }
          // A core without a fault has counted nothing that another core's fault did not end.
          const auto fault = std::ranges::find_if(
              counted, [](const ProgramResult& result) { return is_fault(result); });
          return is_fault(counted[core]) || fault == counted.end() ? counted[core] : *fault;
        }));
  }
  return counted.empty() || !any_fault(counted) ? results : counted;
}

ModelLine::Results ModelLine::faults_in_time(Programs programs,
                                             std::span<const ProgramFault> faults) {
  Results results = clocked_->run(programs);
  if (any_fault(results)) return results;
  for (std::size_t core = 0; core < faults.size(); ++core) {
    results[core].fault = faults[core].code;
    results[core].command = faults[core].command;
    results[core].address = faults[core].address;
  }
  return results;
}

}  // namespace systole
