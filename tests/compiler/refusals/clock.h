#include "systole/hls/int.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

struct Top {
  struct Inputs {
    UInt<8> x;
    UInt<1> c;
    UInt<3> i;
    Vec<UInt<8>, 4> v;
  };
  struct Outputs {
    UInt<8> y;
  };
// ---- address_as_number
  Outputs clock(const Inputs& in) {
    return {.y = UInt<8>::from(reinterpret_cast<std::uint64_t>(this))};  // refused at 32: an address has no meaning in hardware
  }
};
// ---- bit_field
  Outputs clock(const Inputs& in) {
    b_ = in.c.value();
    return {.y = in.x};
  }

  unsigned long b_ : 3;  // refused at 17: UInt<N>
};
// ---- clock_in_itself
  Outputs clock(const Inputs& in) {
    if (in.c) return clock(in);  // refused at 22: clock() calls itself
    return {.y = in.x};
  }
};
// ---- clock_returns_integer
  UInt<8> clock(const Inputs& in) { return in.x; }  // refused at 11: struct
};
// ---- clock_with_two_arguments
  Outputs clock(const Inputs& in, const UInt<8>& more) { return {.y = in.x ^ more}; }  // refused at 11: clock takes one struct
};
// ---- clock_without_outputs
  void clock(const Inputs& in) { q_ = in.x; }  // refused at 8: returns one struct

  UInt<8> q_;
};
// ---- compared_addresses
  Outputs clock(const Inputs& in) {
    return {.y = as_bit(static_cast<const void*>(&in) == static_cast<const void*>(this))};  // refused at 55: an address has no meaning in hardware
  }
};
// ---- constant_out_of_range
  Outputs clock(const Inputs& in) {
    a_[5] = in.x;  // refused at 11: does not fall on one element
    return {.y = a_[0]};
  }

  UInt<8> a_[5];
};
// ---- counter_without_reset
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = count_};
    count_ = truncate<UInt<8>>(count_ + UInt<1>(1));
    return out;
  }

  UInt<8> count_;  // refused at 11: nothing resets it
};
// ---- division
  Outputs clock(const Inputs& in) {
    return {.y = UInt<8>::from(in.x.value() / in.i.value())};  // refused at 45: division
  }
};
// ---- does_not_compile
  Outputs clock(const Inputs& in) { return {.y = in.x + in.x}; }  // refused at 50: UInt<9>
};
// ---- double_value
  Outputs clock(const Inputs& in) {
    const double d = static_cast<double>(in.x.value());  // refused at 42: float or double
    q_ = d > 3.5 ? in.x : q_;
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- endless_loop
  Outputs clock(const Inputs& in) {
    for (;;) q_ = in.x;  // refused at 5: never ends
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- float_member
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  float f_;  // refused at 9: no width in hardware
};
// ---- float_port
  struct Real {
    float y;  // refused at 11: no width in hardware
  };
  Real clock(const Inputs& in) { return {.y = static_cast<float>(in.x.value())}; }
};
// ---- float_value
  Outputs clock(const Inputs& in) {
    const float f = static_cast<float>(in.x.value()) * 0.3f;  // refused at 40: float or double
    return {.y = UInt<8>::from(static_cast<unsigned>(f))};
  }
};
// ---- goto_loop
  Outputs clock(const Inputs& in) {
    unsigned n = 0;
  again:
    a_[n & 7] = in.x;
    if (n < in.x.value()) {  // refused at 9: constant bound
      ++n;
      goto again;
    }
    return {.y = a_[0]};
  }

  UInt<8> a_[8];
};
// ---- index_out_of_range
  Outputs clock(const Inputs& in) {
    q_ = a_[in.i.value()];  // refused at 8: outside
    for (int n = 0; n < 5; ++n) a_[n] = in.x;
    return {.y = in.x};
  }

  UInt<8> a_[5];
  UInt<8> q_;
};
// ---- inline_assembly
  Outputs clock(const Inputs& in) {
    asm volatile("nop");  // refused at 5: assembly
    return {.y = in.x};
  }
};
// ---- int_member
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  int n_;  // refused at 7: UInt<N>, Int<N> or bool
};
// ---- literal_does_not_fit
  Outputs clock(const Inputs& in) {
    return {.y = in.c ? in.x : UInt<8>(256)};  // refused at 32: a number is a constant that fits the type
  }
};
// ---- loop_of_a_million_turns
  Outputs clock(const Inputs& in) {
    UInt<32> r = in.x;
    for (int n = 0; n < 1000000; ++n) r = truncate<UInt<32>>(r * r + in.x);  // refused at 5: this loop of 1000000 iterations is unrolled
    return {.y = truncate<UInt<8>>(r)};
  }
};
// ---- loop_out_of_range
  Outputs clock(const Inputs& in) {
    for (int n = 0; n < 6; ++n) a_[n] = in.x;  // refused at 33: this index is 5 here, and the array has 5 elements
    return {.y = in.x};
  }

  UInt<8> a_[5];
};
// ---- missing_return
  Outputs clock(const Inputs& in) {
    if (in.c) return {.y = in.x};
  }  // refused at 3: return a value on every way
};
// ---- new
  Outputs clock(const Inputs& in) {
    UInt<8>* p = new UInt<8>(in.x);  // refused at 18: cannot allocate memory
    q_ = *p;
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- null_pointer
  Outputs clock(const Inputs& in) {
    UInt<8>* p = nullptr;
    if (in.c) p = &q_;
    *p = in.x;  // refused at 8: keep no pointers
    return {.y = in.x};
  }

  UInt<8> q_;
};
// ---- output_after_write
  Outputs clock(const Inputs& in) {
    a_[in.i.value()] = in.x;
    return {.y = a_[2]};  // refused at 18: after it was written
  }

  UInt<8> a_[8];
};
// ---- output_by_variable
  Outputs clock(const Inputs& in) {
    const UInt<8> y = a_[in.i.value()];  // refused at 23: variable index
    a_[0] = in.x;
    return {.y = y};
  }

  UInt<8> a_[8];
};
// ---- overshift
  Outputs clock(const Inputs& in) {
    q_ = UInt<8>::from(in.x.value() << (in.i.value() + 64));  // refused at 8: no value
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- pointer_choice
  Outputs clock(const Inputs& in) {
    UInt<8>& target = in.c ? a_ : b_;
    target = in.x;  // refused at 12: keep no pointers
    return {.y = a_};
  }

  UInt<8> a_;
  UInt<8> b_;
};
// ---- pointer_member
  Outputs clock(const Inputs& in) {
    p_ = &q_;
    *p_ = in.x;
    return {.y = q_};
  }

  UInt<8> q_;
  UInt<8>* p_;  // refused at 12: pointer
};
// ---- port_by_variable
  Outputs clock(const Inputs& in) {
    return {.y = in.v[static_cast<int>(in.i.value())]};  // refused at 18: this index may fall outside of 'v', which has 4 elements
  }
};
// ---- reference_member
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  UInt<8>& r_;  // refused at 12: reference
};
// ---- registers_in_a_ring_without_reset
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = a_};
    a_ = truncate<UInt<8>>(b_ + in.x);
    b_ = out.y ^ in.x;
    return out;
  }

  UInt<8> a_;  // refused at 11: nothing resets it
  UInt<8> b_;
};
// ---- reset_reads
  Outputs clock(const Inputs& in) {
    q_ = in.x;
    return {.y = q_};
  }
  void reset() { r_ = q_; }  // refused at 21: reset

  UInt<8> q_;
  UInt<8> r_;
};
// ---- reset_reads_what_it_did_not_set
  Outputs clock(const Inputs& in) {
    q_ = in.x;
    r_ ^= q_;
    return {.y = r_};
  }
  void reset() {
    q_ = 0;
    r_ ^= 3;  // refused at 8: reset() reads a register
  }

  UInt<8> q_;
  UInt<8> r_;
};
// ---- shift_below_zero
  Outputs clock(const Inputs& in) {
    return {.y = UInt<8>::from(in.x.value() << (in.i.value() - 1))};  // refused at 45: may be 64 or more, which C++ leaves undefined
  }
};
// ---- shift_by_input
  Outputs clock(const Inputs& in) {
    return {.y = UInt<8>::from(1u << in.x.value())};  // refused at 35: may be 32 or more, which C++ leaves undefined
  }
};
// ---- shift_raw
  Outputs clock(const Inputs& in) {
    return {.y = UInt<8>::from(in.x.raw() >> (in.x.raw() ^ 1))};  // refused at 43: shift a UInt or Int
  }
};
// ---- stack_by_input
  Outputs clock(const Inputs& in) {
    auto* a = static_cast<UInt<8>*>(__builtin_alloca(in.i.value() + 1));  // refused at 37: constant size
    a[0] = in.x;
    return {.y = a[0]};
  }
};
// ---- static_set_by_input
  Outputs clock(const Inputs& in) {
    static UInt<8> t = in.x;  // refused at 5: static or global variable
    return {.y = t};
  }
};
// ---- static_variable
  Outputs clock(const Inputs& in) {
    static UInt<8> count;
    count = in.x;  // refused at 11: static or global variable
    return {.y = count};
  }
};
// ---- thread_local_variable
  Outputs clock(const Inputs& in) {
    thread_local UInt<8> t;
    t = in.x;  // refused at 5: static or global variable
    return {.y = t};
  }
};
// ---- throw
  Outputs clock(const Inputs& in) {
    if (in.c) throw 1;  // refused at 15: exceptions
    return {.y = in.x};
  }
};
// ---- too_wide_integer
  Outputs clock(const Inputs& in) {
    return {.y = truncate<UInt<8>>(UInt<4097>(1))};  // refused at 36: UInt holds 1 to 4096 bits
  }
};
// ---- trap
  Outputs clock(const Inputs& in) {
    if (in.c) __builtin_trap();  // refused at 15: hardware cannot stop
    return {.y = in.x};
  }
};
// ---- try_block
  Outputs clock(const Inputs& in) {
    try { return {.y = in.x};  // refused at 5: hardware has no exceptions
    } catch (...) { return {.y = UInt<8>(0)};
    }
  }
};
// ---- unbounded_loop
  Outputs clock(const Inputs& in) {
    while (q_ != in.x) q_ = q_ ^ (q_ >> in.i);  // refused at 5: constant bound
    return {.y = q_};
  }
  void reset() { q_ = UInt<8>(0); }

  UInt<8> q_;
};
// ---- uninitialised
  Outputs clock(const Inputs& in) {
    unsigned value;
    if (in.c) value = static_cast<unsigned>(in.x.value());  // refused at 9: uninitialized
    q_ = UInt<8>::from(value);
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- uninitialised_always
  Outputs clock(const Inputs& in) {
    unsigned _BitInt(8) value;
    q_ = UInt<8>::from_raw(value);  // refused at 28: uninitialized
    return {.y = in.x};
  }

  UInt<8> q_;
};
// ---- uninitialised_output
  struct Flags {
    UInt<8> y;
    bool z;  // refused at 10: no value
  };
  Flags clock(const Inputs& in) {
    Flags out;
    out.y = in.x;
    return out;
  }
};
// ---- union
  Outputs clock(const Inputs& in) {
    u_.word = in.x;
    q_ = u_.other;
    return {.y = q_};
  }

  union {
    UInt<8> word;
    UInt<8> other;
  } u_;  // refused at 5: union
  UInt<8> q_;
};
// ---- variable_bound
  Outputs clock(const Inputs& in) {
    for (unsigned n = 0; n < in.i.value(); ++n) a_[n] = in.x;  // refused at 5: constant bound
    return {.y = a_[0]};
  }

  UInt<8> a_[8];
};
// ---- variable_length_array
  Outputs clock(const Inputs& in) {
    UInt<8> a[in.i.value() + 1];  // refused at 5: constant size
    a[0] = in.x;
    return {.y = a[0]};
  }
};
// ---- volatile
  Outputs clock(const Inputs& in) {
    volatile unsigned v = static_cast<unsigned>(in.x.value());  // refused at 23: volatile
    q_ = UInt<8>::from(v);
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- wide_member
  Outputs clock(const Inputs& in) { return {.y = in.x}; }

  unsigned _BitInt(12) raw_;  // refused at 24: UInt<N>
};
// ---- write_input
  Outputs clock(const Inputs& in) {
    const_cast<Inputs&>(in).x = q_;  // refused at 31: an input cannot be written
    q_ = in.x;
    return {.y = q_};
  }

  UInt<8> q_;
};
// ---- initial_value
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = q_};
    if (in.c) q_ = in.x;
    return out;
  }

  UInt<8> q_ = 5;  // refused at 11: 'q_' starts with this value in C++ and unknown in hardware
};
// ---- initial_values_of_an_array
  Outputs clock(const Inputs& in) {
    const Outputs out{.y = q_};
    if (in.c && a_[2]) q_ = in.x;
    a_[2] = in.i == 3;
    return out;
  }
  void reset() { q_ = UInt<8>(0); }

  UInt<8> q_ = 5;
  bool a_[4] = {false, false, true, false};  // refused at 8: 'a_' starts with this value in C++
};
