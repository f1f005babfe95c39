#pragma once

#include <cstdint>
#include <vector>

namespace systole::tests {

/// Registers over lanes, of several widths in one struct, as in a Verilated model.
struct LaneModel {
  std::uint8_t is_int8_q[128];
  std::uint8_t flag_q[128];
  std::uint16_t value_q[128];
  std::uint32_t sum_q[128];
  std::uint32_t total_q[256];
  std::uint32_t one_q;
  volatile std::uint32_t seen;
};

using LaneFunction = void (*)(LaneModel*);

// The same loops, compiled twice.
namespace plain {
const std::vector<LaneFunction>& lane_functions();
}
namespace marked {
const std::vector<LaneFunction>& lane_functions();
}

}  // namespace systole::tests
