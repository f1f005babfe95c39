#include "systole/hls/thread.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

inline Thread count(StreamOut<UInt<8>>& values) {
  for (UInt<8> i = 0;; ++i) co_await values.push(i);
}

struct Top {
  struct Inputs {
    UInt<1> which;
    UInt<1> ready;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    for (int i = 0; i < 2; ++i) {
      Process<&count>::Inputs ends;
      part<0>(ends) = in.ready;
      counts_[i].clock(ends);
    }
    out.y = part<0>(counts_[in.which.value()].outputs()).data;  // refused at 47: a variable picks
    return out;
  }
  void reset() {
    for (auto& one : counts_) one.reset();
  }

 private:
  Process<&count> counts_[2];
};
