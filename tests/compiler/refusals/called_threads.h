#include "systole/hls/thread.h"

using namespace systole::hls;
using systole::hls::clock;

inline Thread wait_twice(UInt<8>& count) {
  co_await clock();
  ++count;
  co_await clock();
}
inline void start(UInt<8>& count) {
// ---- thread_called_in_a_function
  wait_twice(count);  // refused at 3: wait_twice is a thread, which nothing waits for here
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    co_await clock();
    start(count);
  }
}
// ---- thread_called
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    co_await clock();
    wait_twice(count);  // refused at 5: or make it a Process<&wait_twice> and join the two by a
  }
}
// ---- thread_awaited
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    co_await wait_twice(count);  // refused at 14: a thread cannot wait for another one
  }
}
