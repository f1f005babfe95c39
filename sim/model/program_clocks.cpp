#include "sim/model/program_clocks.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

namespace systole {
namespace {

/// One counter a line, by its name.
std::string text_of(const ProgramClocks::Counters& counters) {
  std::string text;
  for (std::size_t i = 0; i < counters.size(); ++i) {
    text += fmt::format("{} {}\n", device::kCounterNames[i], counters[i]);
  }
  return text;
}

std::optional<ProgramClocks::Counters> counters_of(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  ProgramClocks::Counters counters{};
  std::istringstream lines(*text);
  std::string name;
  for (std::uint64_t& counter : counters) lines >> name >> counter;
  if (text_of(counters) != *text) return std::nullopt;
  return counters;
}

}  // namespace

/// Tells other threads, for the life of the object, that an identity is being counted.
class ProgramClocks::Counting {
 public:
  Counting(ProgramClocks& clocks, const std::string& identity)
      : clocks_(clocks), identity_(identity) {
    clocks_.being_counted_.insert(identity_);
  }
  ~Counting() {
    const std::lock_guard lock(clocks_.mutex_);
    clocks_.being_counted_.erase(identity_);
    clocks_.counted_.notify_all();
  }
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

 private:
  ProgramClocks& clocks_;
  const std::string& identity_;
};

ProgramResult ProgramClocks::find_or_count(const std::string& identity,
                                           const std::function<ProgramResult()>& count) {
  std::unique_lock lock(mutex_);
  counted_.wait(lock, [&] { return !being_counted_.contains(identity); });
  if (const auto known = known_.find(identity); known != known_.end()) {
    return {.counts = known->second};
  }
  const Counting counting(*this, identity);
  lock.unlock();
  const ProgramResult result = find_on_disk_or_count(identity, count);
  if (result.fault == device::FaultCode::kNone) {
    lock.lock();
    known_.emplace(identity, result.counts);
    lock.unlock();
  }
  return result;
}

bool ProgramClocks::knows(const std::string& identity) {
  const std::lock_guard lock(mutex_);
  if (known_.contains(identity)) return true;
  const auto kept = counters_of(disk_.find(identity));
  if (kept) known_.emplace(identity, *kept);
  return kept.has_value();
}

ProgramResult ProgramClocks::find_on_disk_or_count(
    const std::string& identity, const std::function<ProgramResult()>& count) const {
  if (const auto kept = counters_of(disk_.find(identity))) return {.counts = *kept};
  ProgramResult result = count();
  if (result.fault == device::FaultCode::kNone) disk_.keep(identity, text_of(result.counts));
  return result;
}

ProgramClocks& ProgramClocks::of_process() {
  static ProgramClocks clocks{DiskCache(DiskCache::users_folder())};
  return clocks;
}

}  // namespace systole
