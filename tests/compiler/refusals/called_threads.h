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
// ---- thread_kept_and_awaited_later
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    auto started = wait_twice(count);  // refused at 20: wait_twice is a thread, which nothing waits for here; write co_await wait_twice(...)
    co_await clock();
    co_await std::move(started);
  }
}
// ---- thread_awaited_by_name
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    auto started = wait_twice(count);
    co_await started;  // refused at 14: a thread is awaited where it is called
  }
}
// ---- thread_awaits_itself
}
inline Thread count_down(UInt<8>& count, UInt<8> from) {
  co_await clock();
  --count;
  if (from != 0) co_await count_down(count, from >> 1);  // refused at 27: count_down awaits itself, and recursion has no hardware; write a loop
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) co_await count_down(count, 8);
}
// ---- task_called
}
inline Task<UInt<8>> next_of(UInt<8> count) {
  co_await clock();
  co_return count;
}
Thread Top(UInt<8>& count) {
  count = 0;
  for (;;) {
    co_await clock();
    static_cast<void>(next_of(count));  // refused at 23: next_of is a thread, which nothing waits for here
  }
}
