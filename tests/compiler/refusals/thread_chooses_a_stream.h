#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<8>>& a, StreamIn<UInt<8>>& b, const UInt<1>& choice, UInt<8>& last) {
  for (;;) {
    co_await clock();
    StreamIn<UInt<8>>& chosen = choice ? a : b;
    last = co_await chosen.pop();  // refused at 21: which stream this waits for is not known
  }
}
