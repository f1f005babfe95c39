#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Both {
  UInt<8> a[3];
  UInt<8> b[3];
};

// ---- steps_from_a_port_into_the_next
struct Top {
  struct Inputs {
    UInt<8> x[3];
    UInt<8> y[2];
  };
  struct Outputs {
    UInt<8> q;
  };
  Outputs clock(const Inputs& in) {
    const UInt<8>* p = in.x;
    UInt<8> sum = *p++;
    sum ^= *p++;
    sum ^= *p++;
    sum ^= *p++;  // refused: this index is 3 here, and the array has 3 elements
    return {.q = sum};
  }
};
// ---- steps_from_a_member_into_the_next
struct Top {
  struct Inputs {
    UInt<8> x;
  };
  struct Outputs {
    UInt<8> q;
  };
  Outputs clock(const Inputs& in) {
    const Outputs out{.q = both_.b[0]};
    auto* p = both_.a + 1;
    *p++ = in.x;
    *p++ = in.x;
    *p = in.x;  // refused: this index is 3 here, and the array has 3 elements
    both_.a[0] = both_.b[1];
    return out;
  }
  Both both_;
};
// ---- steps_down_into_the_member_before
void Top(const Vec<UInt<8>, 4>& in, UInt<8>& sum) {
  Both both;
  for (int i = 0; i < 3; ++i) {
    both.a[i] = in[i];
    both.b[i] = in[i + 1];
  }
  const UInt<8>* p = both.b + 1;
  UInt<8> total = *p--;
  total ^= *p--;
  total ^= *p;  // refused: this index is -1 here, and the array has 3 elements
  sum = total;
}
// ---- steps_past_a_row
void Top(const UInt<8> (&in)[3][4], UInt<8>& sum) {
  const UInt<8>* p = in[1] + 3;
  UInt<8> total = *p++;
  total ^= *p++;  // refused: this index is 4 here, and the array has 4 elements
  sum = total;
}
// ---- steps_past_a_vec
void Top(const Vec<UInt<8>, 4>& in, UInt<8>& sum) {
  const UInt<8>* p = in.begin() + 3;
  UInt<8> total = *p++;
  total ^= *p++;  // refused: this index is 4 here, and the array has 4 elements
  sum = total;
}
// ---- steps_past_a_table
inline constexpr UInt<8> kTable[3] = {2, 3, 5};
void Top(const UInt<8>& x, UInt<8>& sum) {
  const UInt<8>* p = kTable;
  UInt<8> total = x ^ *p++;
  total ^= *p++;
  total ^= *p++;
  total ^= *p;  // refused: this index is 3 here, and the array has 3 elements
  sum = total;
}
// ---- steps_past_a_local_array
struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<8> y;
  };
  struct Outputs {
    UInt<8> q;
  };
  Outputs clock(const Inputs& in) {
    const UInt<8> two[2] = {in.x, in.y};
    const UInt<8>* p = two;
    UInt<8> sum = *p++;
    sum ^= *p++;
    sum ^= *p;  // refused: this index is 2 here, and the array has 2 elements
    return {.q = sum};
  }
};
