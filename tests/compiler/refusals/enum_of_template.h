#include "systole/hls/int.h"

using namespace systole::hls;

template <int kTurns>
struct Delay {
  enum class Phase { kWait, kLoad, kRun };
  struct Inputs {
    Phase phase;
  };
  struct Outputs {
    Phase phase;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.phase = phase_};
    phase_ = in.phase;
    return out;
  }
  Phase phase_;  // refused at 9: 'phase_' is of an enum of a class template, and no code names an enumerator of 'Phase', which leaves its width unknown; name one, in reset() for instance, or declare the enum outside of the template
};
struct Top : Delay<3> {};
