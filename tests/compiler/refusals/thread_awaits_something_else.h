#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(UInt<8>& count) {
  count = UInt<8>(0);
  for (;;) {
    co_await std::suspend_always{};  // refused at 5: only clock(), pop() and push() can be awaited
    count = truncate<UInt<8>>(count + UInt<1>(1));
  }
}
