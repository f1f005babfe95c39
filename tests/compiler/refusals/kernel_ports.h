#include "systole/hls/axi_array.h"
#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- kernel_pops_and_pushes
void Top(Stream<UInt<8>>& both) {
  const UInt<8> value = both.pop();
  both.push(value);  // refused at 8: 'both' is popped and pushed, and a stream has one direction; pass two streams
}
// ---- kernel_takes_a_copy_of_a_stream
void Top(Stream<UInt<8>> in, UInt<8>& out) {  // refused at 6: 'in' is a copy of a stream; pass the stream: Stream
  out = in.pop();
}
// ---- kernel_streams_structs
struct Pair {
  UInt<8> first;
  UInt<8> second;
};
void Top(Stream<Pair>& in, UInt<8>& out) {  // refused at 6: 'in' is a stream of structs or enums, and a function over arrays pops and pushes integers; join the members with concat()
  out = in.pop().second;
}
// ---- kernel_has_a_stream_of_its_own
void Top(Stream<UInt<8>>& in, UInt<8>& out) {
  Stream<UInt<8>> between;
  between.push(in.pop());  // refused at 11: this stream is no parameter Stream<T>& of the function; pass one, or keep the values in an array
  out = between.pop();
}
// ---- kernel_parameter_is_a_streams_port
void Top(Stream<UInt<8>>& in, UInt<8> in_data, UInt<8>& out) {  // refused at 6: 'in_data' would have the name of a port of 'in'; rename it
  out = truncate<UInt<8>>(in.pop() + in_data);
}
// ---- kernel_pops_too_often
void Top(Stream<UInt<8>>& in, Stream<UInt<9>>& out) {
  for (int i = 0; i < 8; ++i) {  // refused: this loop cannot start an iteration every 1 clock: 2 elements in an iteration share the stream 'in'
    pipeline<1>();
    const UInt<8> first = in.pop();
    out.push(first + in.pop());
  }
}
// ---- kernel_reads_a_written_array_in_memory
void Top(AxiArray<UInt<8>, 64>& values) {
  for (int i = 1; i < 64; ++i) {  // refused: this loop cannot start an iteration every 1 clock: 
    pipeline<1>();
    values[i] = values[i - 1];
  }
}
// ---- kernel_writes_an_input_in_memory
void Top(const AxiArray<UInt<8>, 64>& values) {
  const_cast<AxiArray<UInt<8>, 64>&>(values)[0] = 1;  // refused at 49: 'values' is an input and cannot be written
}
// ---- kernel_parameter_is_an_axi_port
void Top(const AxiArray<UInt<8>, 64>& values, UInt<8> values_address, UInt<8>& out) {  // refused at 6: 'values_address' would have the name of a port of 'values'; rename it
  out = truncate<UInt<8>>(values[0] + values_address);
}
// ---- kernel_parameter_is_error
void Top(const AxiArray<UInt<8>, 64>& values, UInt<8>& error) {  // refused at 6: 'error' would have the name of a port of 'values'; rename it
  error = values[0];
}
