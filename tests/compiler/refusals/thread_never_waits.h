#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(UInt<8>& count) {  // refused at 8: 'Top' never waits
  count = UInt<8>(1);
  co_return;
}
