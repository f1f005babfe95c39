#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(UInt<8> start, UInt<8>& count) {  // refused: is not a reference
  count = start;
  for (;;) co_await clock();
}
