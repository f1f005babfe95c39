#include "sim/model/model_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "host/device/digest.h"
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

bool ModelLine::join(const LineRanks& ranks) {
  if (!clocked_->join(ranks)) return false;
  values_.join(ranks);
  ranks_ = ranks;
  return true;
}

ModelLine::Results ModelLine::run(Programs programs) {
  std::vector<std::uint64_t> numbers;
  for (const PlacedProgram& program : programs) numbers.push_back(program.number);
  const auto known = known_.find(numbers);
  if (!ranks_.all(known != known_.end())) {
    Results results = run_first(programs);
    if (!ranks_.any(any_fault(results) || std::ranges::count(numbers, 0U) > 0)) {
      known_.emplace(numbers, results);
    }
    return results;
  }
  const std::vector<ProgramFault> faults = values_.run(programs);
  return ranks_.any(any_fault(faults)) ? faults_in_time(programs, faults) : known->second;
}

// One thread at a time speaks to other ranks.
ModelLine::Results ModelLine::run_first(Programs programs) {
  auto counted = std::async(ranks_.is_one() ? std::launch::async : std::launch::deferred,
                            [&] { return count(programs); });
  const std::vector<ProgramFault> faults = values_.run(programs);
  Results results = counted.get();
  if (ranks_.any(any_fault(results)) || !ranks_.any(any_fault(faults))) return results;
  return faults_in_time(programs, faults);
}

std::vector<std::string> ModelLine::identities_of(Programs programs) {
  std::vector<Digest::Value> own;
  for (std::size_t core = 0; core < programs.size(); ++core) {
    const ClockKey key = clock_key(programs[core], seen_[core], sizes_);
    own.push_back(Digest().add(clock_identity(device_, key)).value());
  }
  const std::vector<Digest::Value> all = ranks_.gather<Digest::Value>(own);
  const std::string digest = Digest().add(std::as_bytes(std::span(all))).hex();
  std::vector<std::string> identities;
  for (std::size_t core = 0; core < programs.size(); ++core) {
    identities.push_back(
        fmt::format("clocks of a line\ndigest {}\ncore {} of {}", digest,
                    static_cast<std::size_t>(ranks_.rank()) * programs.size() + core, all.size()));
  }
  return identities;
}

ModelLine::Results ModelLine::count(Programs programs) {
  const std::vector<std::string> identities = identities_of(programs);
  Results counted;
  bool has_fault = false;
  const auto count_all = [&] {
    if (!counted.empty()) return;
    const FirstRunNotice::Run told(FirstRunNotice::of_clocks());
    counted = clocked_->run(programs);
    has_fault = ranks_.any(any_fault(counted));
  };
  // All ranks count or none does.
  if (!ranks_.is_one() && !ranks_.all(std::ranges::all_of(identities, [&](const std::string& one) {
        return clocks_->knows(one);
      }))) {
    count_all();
  }
  Results results;
  for (std::size_t core = 0; core < programs.size() && !has_fault; ++core) {
    results.push_back(clocks_->find_or_count(identities[core], [&] {
      count_all();
      // A core without a fault has counted nothing that another core's fault did not end.
      return has_fault ? *std::ranges::find_if(
                             counted, [](const ProgramResult& one) { return is_fault(one); })
                       : counted[core];
    }));
  }
  return has_fault ? counted : results;
}

ModelLine::Results ModelLine::faults_in_time(Programs programs,
                                             std::span<const ProgramFault> faults) {
  Results results = clocked_->run(programs);
  if (ranks_.any(any_fault(results))) return results;
  for (std::size_t core = 0; core < faults.size(); ++core) {
    results[core].fault = faults[core].code;
    results[core].command = faults[core].command;
    results[core].address = faults[core].address;
  }
  return results;
}

}  // namespace systole
