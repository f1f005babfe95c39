#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(const UInt<1>& choice, const UInt<8>& x, UInt<8>& a, UInt<8>& b) {
  for (;;) {
    co_await clock();
    UInt<8>& chosen = choice ? a : b;  // refused at 23: this reference is kept while the thread
    co_await clock();
    chosen = x;
  }
}
