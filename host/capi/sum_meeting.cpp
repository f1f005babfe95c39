#include "host/capi/sum_meeting.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/graph/operation.h"

namespace systole::capi {

void SumMeeting::begin() {
  const std::lock_guard lock(mutex_);
  arrived_ = 0;
  has_left_ = false;
}

void SumMeeting::leave() {
  const std::lock_guard lock(mutex_);
  has_left_ = true;
  changed_.notify_all();
}

void SumMeeting::add(std::size_t core, std::span<float> values) {
  std::unique_lock lock(mutex_);
  parts_[core] = values;
  if (++arrived_ == parts_.size()) {
    add_up();
    arrived_ = 0;
    ++round_;
    changed_.notify_all();
    return;
  }
  const std::uint64_t round = round_;
  changed_.wait(lock, [&] { return round_ != round || has_left_; });
  if (round_ == round) throw Left{};
}

void SumMeeting::add_up() {
  const std::span<float> sum = parts_[0];
  for (std::size_t core = 1; core < parts_.size(); ++core) {
    if (parts_[core].size() != sum.size()) {
      throw graph::GraphError(fmt::format("core {} adds {} values where core 0 adds {}", core,
                                          parts_[core].size(), sum.size()));
    }
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += parts_[core][i];
  }
  for (std::size_t core = 1; core < parts_.size(); ++core) {
    std::ranges::copy(sum, parts_[core].begin());
  }
}

}  // namespace systole::capi
