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
// ---- walk_down_from_past_the_end
void Top(const UInt<8> (&a)[5], UInt<12>& sum) {
  UInt<12> total = 0;
  for (const UInt<8>* p = a + 5; p > a; --p) total += *p;  // refused at 52: this index is 5 here, and the array has 5 elements
  sum = total;
}
// ---- walk_down_a_table_from_past_its_end
inline constexpr UInt<8> kTable[5] = {2, 3, 5, 7, 11};
void Top(const UInt<8>& x, UInt<12>& sum) {
  UInt<12> total = x;
  for (const UInt<8>* p = kTable + 5; p > kTable; --p) total += *p;  // refused at 62: this index is 5 here, and the array has 5 elements
  sum = total;
}
// ---- walk_past_the_end_of_a_local_array
void Top(const Bytes& a, Bytes& b) {
  UInt<8> kept[8];
  for (int i = 0; i < 8; ++i) kept[i] = a[i];
  UInt<8>* to = b.begin();
  for (const UInt<8>* p = kept; p < kept + 8;) *to++ = *++p;  // refused at 54: this index is 8 here, and the array has 8 elements
}
// ---- walk_writes_past_the_end
void Top(const Bytes& a, Bytes& b) {
  UInt<8>* to = b.begin() + 1;
  for (const auto& one : a) *to++ = one;  // refused at 35: this index is 16 here, and the array has 16 elements
}
