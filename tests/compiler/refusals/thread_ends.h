#include "systole/hls/divide.h"
#include "systole/hls/thread_ends.h"

using namespace systole::hls;
using systole::hls::clock;

inline UInt<16> square(UInt<8> x) { return x * x; }

// ---- thread_takes_a_memory
Thread Top(Ram<UInt<8>, 16>& table, UInt<8>& shown) {
  shown = 0;
  for (;;) {
    co_await clock();
    shown = table.clock({}).read_data;  // refused at 19: a thread cannot clock a Ram; let its parent hold it, take an end as a parameter, RamEnd<Word, depth>&
  }
}
// ---- thread_holds_a_pipeline
Thread Top(UInt<16>& shown) {
  Pipeline<&square, 2> squared;
  shown = 0;
  for (;;) {
    co_await clock();
    squared.clock(3);  // refused at 13: a thread cannot clock a Pipeline; let its parent hold it, take an end as a parameter
    shown = squared.output();
  }
}
// ---- write_without_a_wait
Thread Top(RamEnd<UInt<8>, 16>& table) {
  for (;;) {
    co_await clock();
    table.write(3, 4);  // refused at 11: write is a thread, which nothing waits for here; write co_await write(...) in a thread
  }
}
// ---- end_by_value
Thread Top(RamEnd<UInt<8>, 16> table) {  // refused at 8: 'table' is not a reference; a thread's parameters are StreamIn<T>&, StreamOut<T>&, an input wire const T&, an output register T& or an end of thread_ends.h
  co_await clock();
}
// ---- memory_chosen_by_a_value
Thread Top(RamEnd<UInt<8>, 16>& a, RamEnd<UInt<8>, 16>& b, const bool& first, UInt<8>& shown) {
  shown = 0;
  for (;;) {
    co_await clock();
    auto& table = first ? a : b;
    shown = co_await table.read(3);  // refused at 28: which stream this waits for is not known before it runs; name the stream
  }
}
// ---- read_data_written
Thread Top(RamEnd<UInt<8>, 16>& table) {
  for (;;) {
    co_await clock();
    table.read_data.value = 3;  // refused at 27: an input cannot be written
  }
}
// ---- end_of_another_memory
inline Thread fill(RamEnd<UInt<8>, 16>& table) { co_await table.write(1, 2); }
struct Top {
  struct Inputs {};
  struct Outputs {
    UInt1 done;
  };
  Outputs clock(const Inputs&) {
    fill_.connect(table_);  // refused at 11: cannot bind to a value of unrelated type
    return {.done = 1};
  }
  void reset() { fill_.reset(); }
  Ram<UInt<8>, 32> table_;
  Process<&fill> fill_;
};
// ---- host_integers_divided_in_a_thread
Thread Top(const UInt<8>& a, const UInt<8>& b, UInt<8>& shown) {
  shown = 0;
  for (;;) {
    co_await clock();
    shown = UInt<8>::from(a.value() / b.value());  // refused at 37: division by a variable has hardware only in a function over arrays
  }
}
