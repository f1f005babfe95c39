#pragma once

#include <deque>
#include <vector>

#include "hls/kernels/link.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// The core above or below a vector engine: what it will send, and what it must get.
///
/// Limits   a beat that was offered before a stop may come after it, once
template <int kN>
class EngineNeighbour {
 public:
  using Beat = hls::Beat<kernels::LinkBeat<kN>>;

  /// Lanes of whole words, as one stream.
  void send(const std::vector<std::uint32_t>& lanes) { add(lanes, to_send_); }
  void expect(const std::vector<std::uint32_t>& lanes) { add(lanes, expected_); }

  /// What it offers in this clock; `stalls` makes it wait now and then.
  Beat offer(Random& random, bool stalls) {
    offers_ = !to_send_.empty() && (offers_ || !stalls || random.below(3) == 0);
    Beat beat{};
    beat.valid = hls::as_bit(offers_);
    if (offers_) beat.data = to_send_.front();
    return beat;
  }
  void sent() {
    to_send_.pop_front();
    offers_ = false;
  }

  void take(const kernels::LinkBeat<kN>& beat) {
    if (ignores_) {
      ignores_ = false;
      return;
    }
    wrong += expected_.empty() || beat.last != expected_.front().last ||
             beat.lanes != expected_.front().lanes;
    if (!expected_.empty()) expected_.pop_front();
  }

  bool is_done() const { return to_send_.empty() && expected_.empty(); }
  void restart(bool is_offered) {
    to_send_.clear();
    expected_.clear();
    offers_ = false;
    ignores_ = is_offered;
  }

  int wrong = 0;

 private:
  static void add(const std::vector<std::uint32_t>& lanes,
                  std::deque<kernels::LinkBeat<kN>>& beats) {
    constexpr std::size_t kLanes = kN / kernels::kLinkBeatsOfWord;
    using Lanes = hls::UInt<kernels::kLinkBits<kN>>;
    for (std::size_t at = 0; at < lanes.size(); at += kLanes) {
      kernels::LinkBeat<kN> beat{};
      for (std::size_t n = 0; n < kLanes; ++n) {
        beat.lanes = beat.lanes | Lanes::from_raw(typename Lanes::Raw{lanes[at + n]} << (32 * n));
      }
      beat.last = hls::as_bit(at + kLanes == lanes.size());
      beats.push_back(beat);
    }
  }

  std::deque<kernels::LinkBeat<kN>> to_send_, expected_;
  bool offers_ = false;
  bool ignores_ = false;  ///< the next beat
};

}  // namespace systole::tests
