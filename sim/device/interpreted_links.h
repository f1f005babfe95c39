#pragma once

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

}  // namespace systole
