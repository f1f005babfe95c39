#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<32>>& values, UInt<32>& mixed) {
  for (;;) {
    UInt<32> value = co_await values.pop();
    for (int i = 0; i < 1000000; ++i) value ^= value >> UInt<5>::from(i & 31);  // refused at 5: this loop of 1000000 iterations is unrolled
    mixed = value;
  }
}
