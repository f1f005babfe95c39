#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "host/device/disk_cache.h"
#include "host/device/program_device.h"

namespace systole {

/// The counters of programs by identity, so that a program is timed once: kept in memory, and on
/// disk for later processes.
///
/// Limits   a program that faults, or whose device hangs, is not kept
/// Timing   any number of threads; of several that ask for the same program, one counts and the
///          others wait
class ProgramClocks {
 public:
  using Counters = std::array<std::uint64_t, device::kCounters>;

  explicit ProgramClocks(DiskCache disk) : disk_(std::move(disk)) {}

  /// The counters kept under `identity`; if there are none, those that `count` returns, which are
  /// then kept.
  ///
  /// Limits   `identity` contains everything on which the counters depend
  /// Errors   those of `count`
  ProgramResult find_or_count(const std::string& identity,
                              const std::function<ProgramResult()>& count);

  /// Whether find_or_count would find them.
  bool knows(const std::string& identity);

  const DiskCache& disk() const { return disk_; }

  /// The instance of this process, which uses the user's cache folder.
  static ProgramClocks& of_process();

 private:
  class Counting;
  ProgramResult find_on_disk_or_count(const std::string& identity,
                                      const std::function<ProgramResult()>& count) const;

  DiskCache disk_;
  std::mutex mutex_;
  std::condition_variable counted_;
  std::unordered_map<std::string, Counters> known_;
  std::unordered_set<std::string> being_counted_;
};

}  // namespace systole
