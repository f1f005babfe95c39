#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<2>>& places, UInt<8>& sum) {
  Vec<UInt<8>, 4> counts = {};
  for (;;) {
    const UInt<2> place = co_await places.pop();
    counts[static_cast<int>(place.value())] = UInt<8>(1);  // refused at 5: indexed by something
    sum = counts[0];
  }
}
