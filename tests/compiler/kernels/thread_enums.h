#pragma once

#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

namespace systole::tests {

using namespace systole::hls;
using systole::hls::clock;

enum class Turn : std::uint8_t { kLeft = 1, kRight = 46 };
enum class Slope : std::int16_t { kDown = -3, kUp = 2 };
struct Step {
  UInt<3> length;
  Turn turn;
  Slope slope;
};

/// Enums that are kept over waits, alone, in structs and in Vecs, and one that is an index.
inline Thread kept_steps(StreamIn<Step>& steps, StreamIn<Vec<Turn, 4>>& turns,
                         StreamOut<Step>& taken, StreamOut<UInt<5>>& counts, const UInt1& swap) {
  Vec<UInt<5>, 3> counted = {};
step:
  for (;;) {
    const Step first = co_await steps.pop();
    const Step second = co_await steps.pop();
    co_await taken.push(swap ? second : first);
    Step changed = first;
    if (swap) changed.slope = Slope::kUp;
    const Vec<Turn, 4> four = co_await turns.pop();
    if (first.length == 5) changed.turn = four[2];
    co_await taken.push(changed);
    const UInt<6> place = UInt<6>::from(static_cast<std::uint64_t>(four[3]));
    ++counted[0];
    counted[1] = counted[2];
    counted[2] = counted[0];
    co_await counts.push(place < 3 ? counted[static_cast<int>(place.value())] : UInt<5>(31));
  }
}

}  // namespace systole::tests
