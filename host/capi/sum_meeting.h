#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace systole::capi {

/// Where the threads of several cores add their values: each waits until all have brought theirs.
///
/// Numbers  ((x0 + x1) + x2) + ... in fp32, on each core
class SumMeeting {
 public:
  /// What waiting cores get when one has left.
  struct Left {};

  explicit SumMeeting(std::size_t cores) : parts_(cores) {}

  /// Begins a run of all cores.
  void begin();
  /// Replaces a core's values by the sum.
  ///
  /// Errors   Left; graph::GraphError where cores bring other numbers of values
  void add(std::size_t core, std::span<float> values);
  /// Of a core whose run failed.
  void leave();

 private:
  void add_up();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::span<float>> parts_;  ///< by core
  std::size_t arrived_ = 0;
  std::uint64_t round_ = 0;
  bool has_left_ = false;
};

}  // namespace systole::capi
