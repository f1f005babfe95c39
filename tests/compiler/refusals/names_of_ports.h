#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- kernel_parameter_is_the_clock
void Top(const Vec<UInt<8>, 4>& in, UInt<8> clk, UInt<8>& out) {  // refused at 6: two ports of this module would be called 'clk_i'; rename 'clk'
  out = in[0] ^ clk;
}
// ---- kernel_parameters_differ_in_an_underscore
void Top(UInt<8> value, UInt<8> value_, UInt<8>& out) {  // refused at 6: two parameters would have the port 'value', which is named without underscores at its end; rename one
  out = value ^ value_;
}
// ---- kernel_arrays_and_streams_share_a_port
void Top(const Vec<UInt<8>, 4>& in, Stream<UInt<8>>& in_read, UInt<8>& out) {  // refused at 6: two ports of this module would be called 'in_read_data_i'; rename 'in_read_data'
  out = in[0] ^ in_read.pop();
}
// ---- module_input_is_the_clock
struct Top {
  struct Inputs {
    UInt<8> clk;  // refused at 13: two ports of this module would be called 'clk_i'; rename 'clk'
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) { return {.y = in.clk}; }
};
// ---- module_members_share_a_port
struct Pair {
  UInt<8> first;  // refused at 11: two ports of this module would be called 'both_first_i'; rename 'both_first'
};
struct Top {
  struct Inputs {
    UInt<8> both_first;
    Pair both;
  };
  struct Outputs {
    UInt<8> y;
  };
  Outputs clock(const Inputs& in) { return {.y = in.both_first ^ in.both.first}; }
};
