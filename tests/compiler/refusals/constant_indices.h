#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<2> i;
    UInt<1> c;
    Vec<UInt<8>, 4> v;
  };
  struct Outputs {
    UInt<8> q;
  };
  void reset() { q_ = UInt<8>(0); }
  UInt<8> a_[4];
  UInt<8> q_;
  UInt<8> m_[2][3];
  Vec<UInt<8>, 4> v_;
// ---- read_of_the_next_member
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    for (int k = 0; k <= 4; ++k) {
      if (in.c) q_ = a_[k];  // refused at 22: this index is 4 here, and the array has 4 elements
    }
    a_[0] = in.x;
    return out;
  }
};
// ---- write_of_the_next_member
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    for (int k = 0; k <= 4; ++k) a_[k] = in.x;  // refused at 34: this index is 4 here, and the array has 4 elements
    return out;
  }
};
// ---- shift_register_off_by_one
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = a_[0]};
    for (int k = 0; k < 4; ++k) a_[k] = a_[k + 1];  // refused at 41: this index is 4 here, and the array has 4 elements
    q_ = in.x;
    return out;
  }
};
// ---- past_the_end_of_one_dimension
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = m_[1][0]};
    for (int k = 0; k <= 3; ++k) m_[0][k] = in.x;  // refused at 34: this index is 3 here, and the array has 3 elements
    return out;
  }
};
// ---- any_index_past_the_end_of_one_dimension
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    q_ = m_[0][in.i.value()];  // refused at 8: index 2 may fall outside of 'm_', which has 3 elements there
    m_[1][0] = in.x;
    return out;
  }
};
// ---- local_array_past_its_end
  Outputs clock(const Inputs& in) {
    const UInt<8> three[3] = {in.x, in.v[0], in.v[1]};
    UInt<8> sum;
    for (int k = 0; k <= 3; ++k) sum = sum ^ three[k];  // refused at 46: this index is 3 here, and the array has 3 elements
    return {.q = sum};
  }
};
// ---- lane_past_the_last
  Outputs clock(const Inputs& in) {
    return {.q = in.v[4]};  // refused at 18: this index is 4 here, and the array has 4 elements
  }
};
// ---- index_below_zero
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    for (int k = 3; k >= 0; --k) v_[k] = in.v[k - 1];  // refused at 42: this index is -1 here, and the array has 4 elements
    q_ = v_[3];
    return out;
  }
};
// ---- past_the_end_after_a_break
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    UInt<8> sum = in.x;
    for (int k = 0; k <= 4; ++k) {
      if (sum == 7) break;
      sum = sum ^ a_[k];  // refused at 19: this index is 4 here, and the array has 4 elements
    }
    q_ = sum;
    a_[0] = in.x;
    return out;
  }
};
// ---- past_the_end_before_a_break
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    for (int k = 0; k <= 12; ++k) {
      q_ += in.v[k];  // refused at 13: this index is 4 here, and the array has 4 elements
      if (q_ > in.x) break;
    }
    return out;
  }
};
// ---- walk_down_registers_from_past_the_end
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = q_};
    UInt<8> sum = in.x;
    for (const UInt<8>* p = a_ + 4; p > a_; --p) sum ^= *p;  // refused at 54: this index is 4 here, and the array has 4 elements
    q_ = sum;
    a_[0] = in.x;
    return out;
  }
};
// ---- walk_down_a_local_array_from_past_its_end
  Outputs clock(const Inputs& in) {
    const UInt<8> three[3] = {in.x, in.v[0], in.v[1]};
    UInt<8> sum;
    for (const UInt<8>* p = three + 3; p > three; --p) sum ^= *p;  // refused at 60: this index is 3 here, and the array has 3 elements
    return {.q = sum};
  }
};
