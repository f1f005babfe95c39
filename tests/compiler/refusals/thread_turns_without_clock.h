#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<8>>& lengths, StreamOut<UInt<8>>& beats) {
  for (;;) {
    const UInt<8> length = co_await lengths.pop();
    UInt<8> rows;
    do {
      for (UInt<8> i; i < length; i = truncate<UInt<8>>(i + UInt<1>(1))) {
        co_await beats.push(i);
      }
      rows = truncate<UInt<8>>(rows + UInt<1>(1));
    } while (rows < length);  // refused at 5: this loop can run without a clock
  }
}
