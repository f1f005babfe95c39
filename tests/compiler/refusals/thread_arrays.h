#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

using namespace systole::hls;
using systole::hls::clock;

inline constexpr UInt<4> kSquares[5] = {0, 1, 4, 9, 15};
// ---- thread_table_out_of_range
Thread Top(StreamIn<UInt<3>>& places, UInt<4>& square) {
  for (;;) {
    const UInt<3> place = co_await places.pop();
    square = kSquares[place.value()];  // refused at 12: may fall outside of 'kSquares', which has 5
  }
}
// ---- thread_array_out_of_range
Thread Top(StreamIn<UInt<3>>& places, UInt<4>& sum) {
  Vec<UInt<4>, 6> counts = {};
  for (;;) {
    const UInt<3> place = co_await places.pop();
    counts[static_cast<int>(place.value())] = 1;  // refused at 45: may fall outside of 'counts'
    sum = counts[0];
  }
}
