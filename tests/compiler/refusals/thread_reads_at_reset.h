#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(const UInt<8>& start, UInt<8>& count) {
  count = start;  // refused at 9: up to its first wait a thread runs at reset
  for (;;) {
    co_await clock();
    count = truncate<UInt<8>>(count + UInt<1>(1));
  }
}
