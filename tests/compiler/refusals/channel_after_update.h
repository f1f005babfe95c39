#include "systole/hls/int.h"
#include "systole/hls/stream.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    Beat<UInt<8>> in;
    UInt1 out_ready;
  };
  struct Outputs {
    UInt1 in_ready;
    Beat<UInt<8>> out;
  };
  Outputs clock(const Inputs& in) {
    Outputs out;
    out.in_ready = queue_.ready();
    queue_.push(in.in);
    queue_.pop(in.out_ready);
    queue_.update();
    out.out = queue_.front();  // refused at 22: read after its clock()
    return out;
  }
  void reset() { queue_.reset(); }

 private:
  Channel<UInt<8>, 2> queue_;
};
