#include "systole/hls/kernel.h"

// Indices of functions over arrays that loops of constant bounds take past the end.
using namespace systole::hls;

using Bytes = Vec<UInt<8>, 16>;
// ---- loop_reads_past_the_end
void Top(const Bytes& a, Bytes& b) {
  for (int i = 0; i < 16; ++i) b[i] = a[i + 1];  // refused at 39: this index is 16 here, and the array has 16 elements
}
// ---- loop_writes_past_the_end
void Top(const Bytes& a, Bytes& b) {
  for (int i = 0; i <= 16; ++i) b[i] = a[0];  // refused at 33: this index is 16 here, and the array has 16 elements
}
// ---- loop_reads_before_the_start
void Top(const Bytes& a, Bytes& b) {
  for (int i = 0; i < 16; ++i) b[i] = a[i - 1];  // refused at 39: this index is -1 here, and the array has 16 elements
}
// ---- loop_under_a_condition
void Top(const Bytes& a, UInt<1> c, Bytes& b) {
  for (int i = 0; i < 16; ++i) {
    if (c == 1) b[i] = a[2 * i];  // refused at 24: this index is 16 here, and the array has 16 elements
  }
}
// ---- nest_past_the_end_of_a_row
void Top(Vec<Vec<UInt<8>, 4>, 4>& a) {
  for (int row = 0; row < 4; ++row) {
    for (int i = 0; i < 4; ++i) a[row][i] = a[row][i + 1];  // refused at 45: this index is 4 here, and the array has 4 elements
  }
}
// ---- long_loop_past_the_end
void Top(Vec<UInt<8>, 60000>& a) {
  for (int i = 0; i < 60000; ++i) a[i] = truncate<UInt<8>>(a[i + 1] ^ UInt<8>(3));  // refused at 60: this index is 60000 here, and the array has 60000 elements
}
// ---- local_array_past_the_end
void Top(const Bytes& a, Bytes& b) {
  UInt<8> kept[8];
  for (int i = 0; i < 16; ++i) kept[i] = a[i];  // refused at 32: this index is 15 here, and the array has 8 elements
  for (int i = 0; i < 16; ++i) b[i] = kept[i & 7];
}
