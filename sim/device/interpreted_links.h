#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

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

/// The streams between the cores of a line.
class InterpretedLineLinks {
 public:
  explicit InterpretedLineLinks(std::size_t cores) : up_(cores), down_(cores) {}

  InterpretedLinks of(std::size_t core) {
    const bool has_above = core + 1 < up_.size();
    return {.up_in = has_above ? &down_[core + 1] : nullptr,
            .up_out = has_above ? &up_[core] : nullptr,
            .down_in = core > 0 ? &up_[core - 1] : nullptr,
            .down_out = core > 0 ? &down_[core] : nullptr};
  }

 private:
  std::vector<InterpretedLink> up_, down_;  ///< what a core sends
};

}  // namespace systole
