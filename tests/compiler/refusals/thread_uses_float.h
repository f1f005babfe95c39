#include "systole/hls/thread.h"

using namespace systole::hls;

Thread Top(StreamIn<UInt<8>>& values, UInt<8>& scaled) {
  for (;;) {
    const UInt<8> value = co_await values.pop();
    const float product = static_cast<float>(value.value()) * 0.5f;  // refused at 46: float or double
    scaled = UInt<8>::from(static_cast<unsigned>(product));
  }
}
