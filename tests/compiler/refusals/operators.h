#include "systole/hls/int.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
    Int<8> s;
    UInt<3> i;
  };
  struct Outputs {
    UInt<9> y;
  };
// ---- divide_by_a_variable
  Outputs clock(const Inputs& in) {
    return {.y = in.x / in.i};  // refused at 23: division by a variable has hardware only in a function over arrays
  }
};
// ---- literal_beside_a_value
  Outputs clock(const Inputs& in) {
    return {.y = in.x + 300};  // refused at 25: a number beside a value takes its type
  }
};
// ---- host_integer_beside_a_value
  Outputs clock(const Inputs& in) {
    UInt<9> sum;
    for (int i = 0; i < 3; ++i) sum = in.x + i;  // refused at 46: a number beside a value takes its type
    return {.y = sum};
  }
};
// ---- bits_of_signed_and_unsigned
  Outputs clock(const Inputs& in) {
    return {.y = in.x & in.s};  // refused at 23: & of signed and unsigned: write as_unsigned(x)
  }
};
// ---- bit_past_the_end
  Outputs clock(const Inputs& in) {
    UInt<9> y;
    for (int i = 0; i <= 8; ++i) y[i] = in.x[i];  // refused at 41: this index is 8 here
    return {.y = y};
  }
};
// ---- sum_cut_without_a_word
  Outputs clock(const Inputs& in) {
    UInt<8> y = in.x + 1;  // refused at 13: truncate<T>(x) keeps the low bits
    return {.y = y};
  }
};
