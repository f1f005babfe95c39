#include "systole/hls/axi_array.h"
#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

using Bytes = Vec<UInt<8>, 16>;

inline void copy(const Bytes& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = in[i];
}
inline void raise(Bytes& values) {
  for (int i = 0; i < 16; ++i) values[i] = truncate<UInt<8>>(values[i] + 1);
}
inline void send(const Bytes& in, Stream<UInt<8>>& out) {
  for (int i = 0; i < 16; ++i) out.push(in[i]);
}
inline void receive(Stream<UInt<8>>& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = in.pop();
}
inline void receive_fewer(Stream<UInt<8>>& in, Bytes& out) {
  for (int i = 0; i < 15; ++i) out[i] = in.pop();
}
inline void send_both(const Bytes& in, Stream<UInt<8>>& plain, Bytes& copied) {
  for (int i = 0; i < 16; ++i) {
    plain.push(in[i]);
    copied[i] = in[i];
  }
}
inline void receive_both(Stream<UInt<8>>& plain, const Bytes& copied, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = truncate<UInt<8>>(plain.pop() + copied[i]);
}
inline void send_two(const Bytes& in, Stream<UInt<8>>& a, Stream<UInt<8>>& b) {
  for (int i = 0; i < 16; ++i) a.push(in[i]);
  for (int i = 0; i < 16; ++i) b.push(in[i]);
}
inline void receive_two(Stream<UInt<8>>& a, Stream<UInt<8>>& b, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = truncate<UInt<8>>(a.pop() + b.pop());
}
inline void send_some(const Bytes& in, Stream<UInt<8>>& some, Bytes& copied) {
  for (int i = 0; i < 16; ++i) {
    if (in[i] > 100) some.push(in[i]);
    copied[i] = in[i];
  }
}
inline void receive_some(Stream<UInt<8>>& some, const Bytes& copied, Bytes& out) {
  for (int i = 0; i < 16; ++i) {
    if (copied[i] > 100) out[i] = some.pop();
  }
}
inline void receive_until_zero(Stream<UInt<8>>& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) {
    out[i] = in.pop();
    if (out[i] == 0) break;
  }
}
inline void copy_most(const Bytes& in, Bytes& out) {
  for (int i = 0; i < 15; ++i) out[i] = in[i];
}
inline UInt<8> first(const Bytes& in) { return in[0]; }
inline void count(const Bytes& in, UInt<8>& sum) {
  sum = 0;
  for (int i = 0; i < 16; ++i) sum += in[i];
}
inline void repeat(UInt<8> value, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = value;
}
inline void shift(const Bytes& in, int by, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = truncate<UInt<8>>(in[i] >> by);
}
inline void load(const AxiArray<UInt<8>, 16>& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = in[i];
}

// ---- network_array_of_two_writers
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;  // refused: 'copy' and 'copy' both fill 'middle'; give each an array or stream of its own
  copy(in, middle);
  copy(in, middle);
  copy(middle, out);
}
// ---- network_array_of_two_readers
void Top(const Bytes& in, Bytes& out, Bytes& other) {
  dataflow();
  Bytes middle;  // refused: 'copy' and 'copy' both read 'middle', which has one port to read
  copy(in, middle);
  copy(middle, out);
  copy(middle, other);
}
// ---- network_array_read_before_it_is_written
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;  // refused: 'send' reads 'middle' before 'receive' writes it; call them in the order of their data
  LocalStream<UInt<8>, 4> values;
  send(middle, values);
  receive(values, middle);
}
// ---- network_array_that_nobody_writes
void Top(Bytes& out) {
  dataflow();
  Bytes middle;  // refused: no function writes 'middle'; remove it, or fill it in one of the calls
  copy(middle, out);
}
// ---- network_array_that_nobody_reads
void Top(const Bytes& in) {
  dataflow();
  Bytes middle;  // refused: no function reads 'middle', which 'copy' writes; remove it
  copy(in, middle);
}
// ---- network_array_changed_in_place
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;  // refused: 'copy' and 'raise' both fill 'middle'
  copy(in, middle);
  raise(middle);
  copy(middle, out);
}
// ---- network_of_a_c_array
inline void set(UInt<8> (&values)[16]) {
  for (int i = 0; i < 16; ++i) values[i] = 1;
}
inline void get(const UInt<8> (&values)[16], Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = values[i];
}
void Top(Bytes& out) {
  dataflow();
  UInt<8> middle[16];  // refused: 'middle' is a C array, which its constructor sets here; make it a Vec
  set(middle);
  get(middle, out);
}
// ---- network_of_an_array_of_structs
struct Pair {
  UInt<8> a;
  UInt<8> b;
};
inline void set(Vec<Pair, 4>& values) { values[0].a = 1; }
void Top(Bytes& out) {
  dataflow();
  Vec<Pair, 4> middle;  // refused: 'middle' holds structs, and each array of a kernel holds integers; use an array for each member
  set(middle);
}
// ---- network_stream_without_places
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Stream<UInt<8>> between;  // refused: 'between' needs a number of places to be a queue: LocalStream<UInt<8>, 4> between
  send(in, between);
  receive(between, out);
}
// ---- network_stream_with_elements_left
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 4> between;  // refused: 'send' pushes 16 elements into 'between' and 'receive_fewer' pops 15; a run must leave none and wait for none
  send(in, between);
  receive_fewer(between, out);
}
// ---- network_stops_at_an_array
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 4> plain;  // refused: 'send_both' waits for a place in 'plain' (4 places, 
  Bytes copied;
  send_both(in, plain, copied);
  receive_both(plain, copied, out);
}
// ---- network_stops_at_a_short_queue
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 4> a;  // refused: ; 'receive_two' waits for an element of 'b'; make the queue deeper, or pop in the order of the pushes
  LocalStream<UInt<8>, 4> b;
  send_two(in, a, b);
  receive_two(a, b, out);
}
// ---- network_may_stop_by_data
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 13> some;  // refused: this network may wait for itself: 'send_some' waits for a place in 'some', 'receive_some' starts when 'send_some' has ended; give 'some' 16 places, as many as a run pushes at most, or hand it over in an array
  Bytes copied;
  send_some(in, some, copied);
  receive_some(some, copied, out);
}
// ---- network_may_stop_at_two_streams
inline void send_and_count(const Bytes& in, Stream<UInt<8>>& some, UInt<8>& count) {
  UInt<8> sent = 0;
  for (int i = 0; i < 16; ++i) {
    if (in[i] > 100) {
      some.push(in[i]);
      sent += UInt<8>(1);
    }
  }
  count = sent;
}
inline void receive_counted(Stream<UInt<8>>& some, UInt<8> count, Bytes& out) {
  for (int i = 0; i < 16; ++i) {
    if (i < static_cast<int>(count.value())) out[i] = some.pop();
  }
}
void Top(const Bytes& in, const Bytes& other, Bytes& out, Bytes& more) {
  dataflow();
  for (UInt<3> turn = 0; turn < 5; ++turn) {
    LocalStream<UInt<8>, 13> left;  // refused: this network may wait for itself: 'send_and_count' waits for a place in 'right', 'receive_counted' starts when 'send_and_count' has ended, 'send_and_count' waits for a place in 'left', 'receive_counted' starts when 'send_and_count' has ended; give 'left' 16 places
    LocalStream<UInt<8>, 2> right;
    UInt<8> of_left;
    UInt<8> of_right;
    send_and_count(in, left, of_left);
    send_and_count(other, right, of_right);
    receive_counted(left, of_right, out);
    receive_counted(right, of_left, more);
  }
}
// ---- network_may_stop_behind_a_starved_function
inline void double_some(Stream<UInt<8>>& in, Stream<UInt<8>>& out, UInt<8>& last) {
  UInt<8> one = 0;
  for (int i = 0; i < 16; ++i) {
    one = in.pop();
    if (one > 100) out.push(truncate<UInt<8>>(one + one));
  }
  last = one;
}
inline void send_twice(const Bytes& in, Stream<UInt<8>>& plain, Stream<UInt<8>>& some) {
  for (int i = 0; i < 16; ++i) {
    plain.push(in[i]);
    if (in[i] > 100) some.push(in[i]);
  }
}
inline void until_zero(Stream<UInt<8>>& in, UInt<8> last, Bytes& out) {
  for (int i = 0; i < 16; ++i) {
    if (last == 0) break;
    out[i] = in.pop();
  }
}
void Top(const Bytes& in, Bytes& out, Bytes& more) {
  dataflow();
  LocalStream<UInt<8>, 16> plain;
  LocalStream<UInt<8>, 3> some;  // refused: this network may wait for itself: 'double_some' waits for an element of 'plain', 'send_twice' waits for a place in 'some', 'until_zero' starts when 'double_some' has ended; give 'some' 16 places
  LocalStream<UInt<8>, 16> doubled;
  UInt<8> last;
  send_twice(in, plain, some);
  double_some(plain, doubled, last);
  until_zero(some, last, out);
  receive_until_zero(doubled, more);
}
// ---- network_may_stop_at_any_depth
inline void send_down(const Bytes& in, Stream<UInt<8>>& steps, Bytes& copied) {
  for (int i = 0; i < 16; ++i) {
    for (UInt<8> left = in[i]; left > 0; --left) steps.push(left);
    copied[i] = in[i];
  }
}
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 16> steps;  // refused: 'receive_some' starts when 'send_down' has ended; what a run pushes into 'steps' depends on data; hand it over in an array
  Bytes copied;
  send_down(in, steps, copied);
  receive_some(steps, copied, out);
}
// ---- network_hands_on_a_parameter
void Top(const Bytes& in, Bytes& middle, Bytes& out) {  // refused: 'middle' goes from 'copy' to 'copy'; hand it on in a local array or LocalStream
  dataflow();
  copy(in, middle);
  copy(middle, out);
}
// ---- network_reads_a_parameter_twice
void Top(const Bytes& in, Bytes& out, Bytes& other) {  // refused: 'copy' and 'copy' both read 'in', and a parameter has one port for that
  dataflow();
  copy(in, out);
  copy(in, other);
}
// ---- network_hands_on_a_result
void Top(const Bytes& in, UInt<8>& sum, Bytes& out) {  // refused: 'sum' is set by 'count' and read by 'repeat'; results are not handed on
  dataflow();
  count(in, sum);
  repeat(sum, out);
}
// ---- network_computes
void Top(const Bytes& in, UInt<8> value, Bytes& out) {
  dataflow();
  repeat(truncate<UInt<8>>(value + 1), out);  // refused: 'value' gets a value that is computed here
}
// ---- network_hands_on_fewer_bits
void Top(const Bytes& in, UInt<9> value, Bytes& out) {
  dataflow();
  repeat(truncate<UInt<8>>(value), out);  // refused: 'value' gets a value that is computed here
}
// ---- network_passes_a_row
void Top(const Vec<Bytes, 4>& in, Bytes& out) {
  dataflow();
  copy(in[2], out);  // refused: 'in' gets a part of an array; pass the whole, and its index by value
}
// ---- network_counts_squares
void Top(Bytes& out) {
  dataflow();
  for (UInt<3> i = 0; i < 5; ++i) {
    repeat(truncate<UInt<8>>(i * i), out);  // refused: 'value' gets a value that does not go up or down by the same step
  }
}
// ---- network_reads_an_array_itself
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;
  copy(in, middle);
  repeat(middle[3], out);  // refused: 'middle' is used here, and a dataflow() function only calls functions
}
// ---- network_calls_for_a_value
void Top(const Bytes& in, UInt<8>& out) {
  dataflow();
  out = first(in);  // refused: 'first' gives a value, and a function in a dataflow() one gives its results in arrays
}
// ---- network_calls_if
void Top(const Bytes& in, UInt<1> twice, Bytes& out) {
  dataflow();
  if (twice == 1) copy(in, out);  // refused: this depends on data, and a dataflow() function does the same in every run
}
// ---- network_of_two_loops
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;
  for (int i = 0; i < 4; ++i) copy(in, middle);  // refused: 'copy' is called out of turn; a dataflow() function is calls, or one loop around all of them
  for (int i = 0; i < 4; ++i) copy(middle, out);
}
// ---- network_hands_on_an_int
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  shift(in, 2, out);  // refused: 'shift' takes a plain C++ number; make it a UInt<N> or Int<N>
}
// ---- network_in_a_network
inline void inner(const Bytes& in, Bytes& out) {
  dataflow();  // refused: dataflow() is for the function that hlsc compiles, and not for one that it calls
  copy(in, out);
}
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  inner(in, out);
}
// ---- network_in_a_function
inline void inner(const Bytes& in, Bytes& out) {
  dataflow();  // refused: dataflow() is for the function that hlsc compiles, and not for one that it calls
  copy(in, out);
}
void Top(const Bytes& in, Bytes& out) { inner(in, out); }
// ---- network_of_nothing
void Top(const Bytes& in, Bytes& out) {  // refused: 'Top' says dataflow() and calls no function
  dataflow();
}
// ---- network_with_memory_on_axi
void Top(const AxiArray<UInt<8>, 16>& in, Bytes& out) {
  dataflow();
  load(in, out);  // refused: 'load' has ports of its own, as an AxiArray does
}
// ---- network_reads_a_value_before_it_is_set
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  UInt<8> sum = 1;
  for (UInt<3> i = 0; i < 5; ++i) {
    repeat(sum, out);  // refused: 'value' gets what an iteration before has left; keep it in one of the functions
    count(in, sum);
  }
}
// ---- network_goes_on_with_a_value
inline void add(const Bytes& in, UInt<8>& sum) { sum += in[0]; }
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  UInt<8> sum = 1;
  for (UInt<3> i = 0; i < 5; ++i) {
    add(in, sum);  // refused: 'sum' gets what an iteration before has left; keep it in one of the functions
    repeat(sum, out);
  }
}
// ---- network_computes_with_a_value
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  UInt<8> sum;
  count(in, sum);
  repeat(truncate<UInt<8>>(sum + 1), out);  // refused: 'value' gets a value that is computed here
}
// ---- network_sets_what_it_reads
inline void add(const UInt<8>& more, UInt<8>& sum) { sum += more; }
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  UInt<8> sum;
  count(in, sum);
  add(sum, sum);  // refused: 'more' and 'sum' are one variable here, and in hardware two
  repeat(sum, out);
}
// ---- network_hands_on_a_bool_without_a_value
inline void choose(const bool& second, const Bytes& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = second ? in[i] : UInt<8>(0);
}
inline void flip(bool& flag) { flag = !flag; }
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  bool flag;
  flip(flag);  // refused: 'flag' gets a variable that no call has set before
  choose(flag, in, out);
}
// ---- network_leaves_elements_for_the_next_iteration
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  LocalStream<UInt<8>, 4> values;  // refused: 'send' and 'receive_until_zero' may leave elements in 'values' for the next iteration
  for (UInt<3> i = 0; i < 5; ++i) {
    send(in, values);
    receive_until_zero(values, out);
  }
}
// ---- network_leaves_elements_of_the_last_iteration
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;  // refused: 'copy_most' may leave elements out of 'middle', which keep those of the iteration before
  for (UInt<3> i = 0; i < 5; ++i) {
    copy_most(in, middle);
    copy(middle, out);
  }
}
// ---- network_hands_on_a_table
inline constexpr Bytes kTable = {{1, 2, 3}};
void Top(Bytes& out) {
  dataflow();
  copy(kTable, out);  // refused: 'in' gets the constant table 'kTable', and a dataflow() function hands on its own arrays; name the table in 'copy'
}
// ---- network_past_the_end
inline void shifted(const Bytes& in, Bytes& out) {
  for (int i = 0; i < 16; ++i) out[i] = in[i + 1];  // refused: this index is 16 here, and the array has 16 elements
}
void Top(const Bytes& in, Bytes& out) {
  dataflow();
  Bytes middle;
  copy(in, middle);
  shifted(middle, out);
}
