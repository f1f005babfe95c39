#include "sim/model/block_kernels.h"

#include "hls/kernels/accumulate.h"
#include "hls/kernels/mac.h"

namespace systole {
namespace {

constexpr int kPortableCols = 16;

void portable_bf16(const Block& block) {
  using namespace hls;
  for (int r = 0; r < kBlockRows; ++r) {
    for (int n = 0; n < kPortableCols; ++n) {
      std::uint32_t& c = block.c[r * block.c_stride + n];
      UInt32 total = UInt32::from(c);
      bool overwrite = block.overwrite;
      for (std::int64_t step = 0; step < block.steps;) {
        UInt32 sum;
        do {
          // The words are bf16 as fp32; their upper halves are the operands again.
          sum = kernels::mac(UInt1(0), UInt16::from(block.a[step * kBlockRows + r] >> 16),
                             UInt16::from(block.b[step * kPortableCols + n] >> 16), sum);
          ++step;
        } while (step < block.steps && step % block.tile_steps != 0);
        total = kernels::accumulate(UInt1(0), as_bit(!overwrite), total, sum);
        overwrite = false;
      }
      c = static_cast<std::uint32_t>(total.value());
    }
  }
}

void portable_int8(const Block& block) {
  const auto low = [](std::uint32_t pair) { return static_cast<std::int16_t>(pair); };
  const auto high = [](std::uint32_t pair) { return static_cast<std::int16_t>(pair >> 16); };
  for (int r = 0; r < kBlockRows; ++r) {
    for (int n = 0; n < kPortableCols; ++n) {
      std::uint32_t& c = block.c[r * block.c_stride + n];
      std::uint32_t total = block.overwrite ? 0 : c;
      for (std::int64_t step = 0; step < block.steps; ++step) {
        const std::uint32_t a = block.a[step * kBlockRows + r];
        const std::uint32_t b = block.b[step * kPortableCols + n];
        total += static_cast<std::uint32_t>(low(a) * low(b) + high(a) * high(b));
      }
      c = total;
    }
  }
}

}  // namespace

#if defined(__x86_64__)
namespace avx512 {
BlockKernels kernels(const char* name, bool (*runs_here)());
}
namespace avx2 {
BlockKernels kernels(const char* name, bool (*runs_here)());
}
#endif

const BlockKernelList& block_kernels() {
  static const BlockKernelList list = [] {
    BlockKernelList found;
    const auto add = [&](const BlockKernels& kernels) {
      if (kernels.runs_here()) found.kernels[found.count++] = kernels;
    };
#if defined(__x86_64__)
    add(avx512::kernels("avx512", [] {
      return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
    }));
    add(avx2::kernels("avx2", [] { return __builtin_cpu_supports("x86-64-v3"); }));
#endif
    add({.name = "portable",
         .cols = kPortableCols,
         .bf16 = portable_bf16,
         .int8 = portable_int8,
         .int8_words = Int8Words::kPairs,
         .int8_offsets = nullptr,
         .rows = portable_row_kernels(),
         .runs_here = [] { return true; }});
    return found;
  }();
  return list;
}

}  // namespace systole
