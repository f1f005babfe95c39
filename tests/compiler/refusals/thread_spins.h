#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<8>>& values, UInt<8>& last) {
  for (;;) {
    co_await clock();
    while (values.valid()) {  // refused at 5: this loop can run without a clock
      last = values.peek();
    }
  }
}
