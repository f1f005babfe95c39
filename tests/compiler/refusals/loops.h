#include "systole/hls/int.h"
#include "systole/hls/int_operators.h"
#include "systole/hls/kernel.h"
#include "systole/hls/pipeline.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- kernel_takes_a_pointer
void Top(const UInt<8>* in, Vec<UInt<8>, 8>& out) {  // refused at 6: 'in' is a pointer, whose array has no known length; make it a reference to an array
  for (int i = 0; i < 8; ++i) out[i] = in[i];
}
// ---- kernel_writes_an_input
void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) out[i] = in[i];
  const_cast<Vec<UInt<8>, 8>&>(in)[0] = 1;  // refused at 39: 'in' is an input and cannot be written
}
// ---- kernel_asks_for_too_much
void Top(const Vec<UInt<4>, 64>& in, const Vec<UInt<8>, 256>& after, Vec<UInt<8>, 16>& states) {
  for (int i = 0; i < 64; ++i) {  // refused: this loop cannot start an iteration every 1 clock: the read
    pipeline<1>();
    const int at = static_cast<int>(in[i].value());
    states[at] = after[static_cast<int>(states[at].value())];  // one clock too late to be passed on
  }
}
// ---- kernel_asks_for_too_many_ports
void Top(const Vec<UInt<8>, 64>& in, Vec<UInt<9>, 32>& out) {
  for (int i = 0; i < 32; ++i) {  // refused: this loop cannot start an iteration every 1 clock: 2 accesses in an iteration share one port of 'in'
    pipeline<1>();
    out[i] = in[2 * i] + in[2 * i + 1];
  }
}
// ---- kernel_option_in_no_loop
void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  pipeline<1>();  // refused at 3: this is in no loop
  out[0] = in[0];
}
// ---- kernel_copies_to_a_bound_of_a_memory
void Top(Vec<UInt<4>, 16>& a) {
  for (int i = 0; i < static_cast<int>(a[1].value()); ++i) {  // refused at 3: nothing says before this loop how often it runs, so each of its copies may end it and they run one after the other; count to a variable that the loop does not change, without a break, or take unroll out
    unroll<2>();
    a[i] = 7;
  }
}
// ---- kernel_copies_and_breaks
void Top(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out) {
  for (int i = 0; i < 16; ++i) {  // refused at 3: nothing says before this loop how often it runs
    unroll<4>();
    if (in[i] == 0) break;
    out[i] = in[i];
  }
}
// ---- kernel_copies_all_of_a_bound_of_a_port
void Top(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out, const UInt<20>& count) {
  for (int i = 0; i < static_cast<int>(count.value()); ++i) {  // refused at 3: this loop is to be unrolled and has no constant number of iterations; give it a constant bound, or ask for n copies with unroll<n>()
    unroll();
    out[i & 15] = in[i & 15];
  }
}
// ---- kernel_copies_twice
void Top(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out, const UInt<5>& count) {
  for (UInt<5> i = 0; i < count; ++i) {
    unroll<2>();
    out[i.value() & 15] = in[i.value() & 15];
    unroll<4>();  // refused at 5: this loop has an unroll already, at 
  }
}
// ---- kernel_copies_some_and_all
void Top(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out) {
  for (int i = 0; i < 16; ++i) {
    unroll<2>();
    unroll();  // refused at 5: this loop has an unroll already
    out[i] = in[i];
  }
}
// ---- kernel_is_pipelined_and_sequential
void Top(const Vec<UInt<4>, 16>& in, Vec<UInt<4>, 16>& out) {
  for (int i = 0; i < 16; ++i) {
    sequential();
    pipeline<1>();  // refused at 5: this loop has a pipeline or sequential already
    out[i] = in[i];
  }
}
// ---- kernel_divides_too_often
void Top(const Vec<UInt<8>, 8>& in, const UInt<8>& by, Vec<UInt<8>, 8>& out) {
  UInt<8> rest = 255;
  for (int i = 0; i < 8; ++i) {  // refused: this loop cannot start an iteration every 1 clock: division
    pipeline<1>();
    rest = truncate<UInt<8>>(rest / by + in[i]);
    out[i] = rest;
  }
}
// ---- unit_takes_an_enum
enum class Kind : unsigned char { kFirst, kSecond };
inline UInt<8> chosen(const Kind& kind, const UInt<8>& x) { return kind == Kind::kFirst ? x : UInt<8>(1); }
void Top(const Vec<UInt<8>, 8>& in, Vec<UInt<8>, 8>& out) {
  for (int i = 0; i < 8; ++i) {
    out[i] = Pipeline<&chosen, 2>::call(i < 3 ? Kind::kFirst : Kind::kSecond, in[i]);  // refused: a unit neither takes nor gives an enum; use UInt<N>
  }
}
// ---- kernel_recurs
inline UInt<8> sum_to(const Vec<UInt<8>, 8>& in, int i) {
  return i == 0 ? in[0] : truncate<UInt<8>>(in[i] + sum_to(in, i - 1));
}
void Top(const Vec<UInt<8>, 8>& in, UInt<8>& sum) {
  sum = sum_to(in, 7);  // refused at 9: recursion has no hardware
}
// ---- kernel_never_ends
void Top(const Vec<UInt<8>, 8>& in, UInt<8>& sum) {
  UInt<8> all = 0;
  for (;;) {  // refused: this loop never ends
    all += in[0];
    sum = all;
  }
}
// ---- kernel_holds_floats
void Top(const Vec<UInt<8>, 8>& in, float (&out)[8]) {
  for (int i = 0; i < 8; ++i) out[i] = static_cast<float>(in[i].value());  // refused at 59: a float or double has no hardware here
}
// ---- kernel_takes_structs
struct Pair {
  UInt<8> first;
  UInt<8> second;
};
void Top(const Vec<Pair, 8>& in, Vec<UInt<8>, 8>& out) {  // refused at 6: 'in' holds structs, and each array and port of a kernel holds integers
  for (int i = 0; i < 8; ++i) out[i] = in[i].second;
}
// ---- kernel_keeps_structs
struct Pair {  // refused at 8: 'kept' holds structs, and each array of a kernel holds integers
  UInt<8> first;
  UInt<8> second;
};
void Top(const Vec<UInt<3>, 8>& in, Vec<UInt<8>, 8>& out) {
  Pair kept[8];
  for (int i = 0; i < 8; ++i) kept[in[i].value()] = {UInt<8>(1), UInt<8>(in[i])};
  for (int i = 0; i < 8; ++i) out[i] = kept[i].second;
}
// ---- kernel_parameter_is_start
void Top(const Vec<UInt<8>, 8>& in, const UInt<1>& start, UInt<8>& out) {  // refused at 6: the module has a port 'start' of its own; rename the parameter
  out = start.value() ? in[0] : in[1];
}
// ---- kernel_parameter_is_a_port
void Top(const Vec<UInt<8>, 8>& in, const UInt<8>& in_read_data, UInt<8>& out) {  // refused at 6: 'in_read_data' would have the name of a port of 'in'; rename it
  out = in[in_read_data.value() & 7];
}
