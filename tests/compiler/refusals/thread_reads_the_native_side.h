#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<8>>& values, UInt<1>& waiting) {
  for (;;) {
    co_await clock();
    waiting = values.waiting;  // refused at 13: this member of a stream is only there natively
  }
}
