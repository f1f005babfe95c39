#include "systole/hls/int.h"
#include "systole/hls/kernel.h"
#include "systole/hls/vec.h"

using namespace systole::hls;

// ---- kernel_returns_its_result
inline UInt<12> Top(const Vec<UInt<8>, 16>& a) {  // refused at 17: 'Top' returns its result, and a function over arrays gives its results in references: void Top(..., UInt<12>& result)
  UInt<12> sum = 0;
  for (int i = 0; i < 16; ++i) sum += a[i];
  return sum;
}
// ---- kernel_returns_an_int
inline int Top(const Vec<UInt<8>, 16>& a) {  // refused at 12: void Top(..., UInt<N>& result)
  int sum = 0;
  for (int i = 0; i < 16; ++i) sum += static_cast<int>(a[i].value());
  return sum;
}
// ---- function_of_values_without_stages
inline UInt<9> Top(UInt<8> x, UInt<8> y) { return x + y; }  // refused at 16: a function of values alone is a pipeline, with --stages or --clock-mhz
