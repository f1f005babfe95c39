#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "host/distribute/line_ranks.h"

namespace systole {

/// Streams from one core to its neighbour that the neighbour has not taken yet: lanes of whole
/// words.
using InterpretedLink = std::deque<std::vector<std::uint32_t>>;

/// The four ends of links of a core; a core without a neighbour has none there.
struct InterpretedLinks {
  InterpretedLink* up_in = nullptr;
  InterpretedLink* up_out = nullptr;
  InterpretedLink* down_in = nullptr;
  InterpretedLink* down_out = nullptr;
};

/// The streams between the cores of a line, of which a rank has `cores`.
class InterpretedLineLinks {
 public:
  explicit InterpretedLineLinks(std::size_t cores, const LineRanks& ranks = {})
      : ranks_(ranks), up_(cores), down_(cores) {}

  InterpretedLinks of(std::size_t core);

  /// Calls `go_on`, which takes each core as far as its neighbours' words let it and returns
  /// whether any has moved, until none moves on any rank.
  template <typename GoOn>
  void run(const GoOn& go_on) {
    for (;;) {
      bool moves = false;
      while (go_on()) moves = true;
      if (ranks_.is_one()) return;
      exchange();
      if (!ranks_.any(moves)) return;
    }
  }

 private:
  /// Brings what the outer cores have sent to the neighbouring ranks, and theirs here.
  void exchange();

  LineRanks ranks_;
  std::vector<InterpretedLink> up_, down_;   ///< what a core sends
  InterpretedLink from_below_, from_above_;  ///< what other ranks send
};

}  // namespace systole
