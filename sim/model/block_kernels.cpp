#include "sim/model/block_kernels.h"

#include "hls/kernels/accumulate.h"
#include "hls/kernels/mac.h"
#include "sim/model/flush_to_zero.h"

namespace systole {
namespace {

template <int kRows, int kCols>
void portable_bf16(const Block& block) {
  using namespace hls;
  for (int r = 0; r < kRows; ++r) {
    for (int n = 0; n < kCols; ++n) {
      std::uint32_t& c = block.c[r * block.c_stride + n];
      UInt32 total = UInt32::from(c);
      bool overwrite = block.overwrite;
      for (std::int64_t step = 0; step < block.steps;) {
        UInt32 sum;
        do {
          // The words are bf16 widened to fp32; their upper halves are the operands.
          const std::uint32_t a = block.a[r * block.a_row + step * block.a_step];
          sum = kernels::mac(UInt1(0), UInt16::from(a >> 16),
                             UInt16::from(block.b[step * kCols + n] >> 16), sum);
          ++step;
        } while (step < block.steps && step % block.tile_steps != 0);
        total = kernels::accumulate(UInt1(0), as_bit(!overwrite), total, sum);
        overwrite = false;
      }
      c = static_cast<std::uint32_t>(total.value());
    }
  }
}

template <int kRows, int kCols>
void portable_int8(const Block& block) {
  const auto low = [](std::uint32_t pair) { return static_cast<std::int16_t>(pair); };
  const auto high = [](std::uint32_t pair) { return static_cast<std::int16_t>(pair >> 16); };
  for (int r = 0; r < kRows; ++r) {
    for (int n = 0; n < kCols; ++n) {
      std::uint32_t& c = block.c[r * block.c_stride + n];
      std::uint32_t total = block.overwrite ? 0 : c;
      for (std::int64_t step = 0; step < block.steps; ++step) {
        const std::uint32_t a = block.a[r * block.a_row + step * block.a_step];
        const std::uint32_t b = block.b[step * kCols + n];
        total += static_cast<std::uint32_t>(low(a) * low(b) + high(a) * high(b));
      }
      c = total;
    }
  }
}

template <int kRows, int kCols>
constexpr BlockShape kPortable{.rows = kRows,
                               .cols = kCols,
                               .bf16 = portable_bf16<kRows, kCols>,
                               .int8 = portable_int8<kRows, kCols>,
                               .int8_offsets = nullptr};

#if defined(__x86_64__)

/// The next of a sequence of bf16 values: ordinary ones, and one in eight with arbitrary bits,
/// which include subnormals, infinities and NaNs.
std::uint16_t next_bf16(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  const std::uint32_t bits = state >> 8;
  if (bits % 8 == 0) return static_cast<std::uint16_t>(bits >> 3);
  return static_cast<std::uint16_t>((bits & 0x8000U) | (120U + (bits >> 16) % 14U) << 7 |
                                    (bits & 0x7fU));
}

/// Whether this processor adds bf16 pairs as the HLS C++ does, one after the other and each rounded
/// once. Intel documents the instruction this way and AMD's behaves so; a bit-exact contract
/// checks.
///
/// Limits   kernels of pairs, with at most 64 columns
bool pairs_keep_the_contract(const BlockShape& shape) {
  constexpr int kDepth = 32;
  constexpr int kTile = 4;
  const int rows = shape.rows, cols = shape.cols;
  const FlushToZero flush;
  std::uint32_t state = 1;
  std::uint16_t a[kDepth][kPanelRows];
  std::uint16_t b[kDepth][64];
  alignas(64) std::uint32_t a_pairs[kDepth / 2 * kPanelRows];
  alignas(64) std::uint32_t b_pairs[kDepth / 2 * 64];
  alignas(64) std::uint32_t c[kPanelRows * 64];
  for (int k = 0; k < kDepth; ++k) {
    for (std::uint16_t& operand : a[k]) operand = next_bf16(state);
    for (int n = 0; n < cols; ++n) b[k][n] = next_bf16(state);
  }
  for (int k = 0; k < kDepth; k += 2) {
    const auto pair = [](std::uint16_t first, std::uint16_t second) {
      return std::uint32_t{first} << 16 | second;
    };
    for (int r = 0; r < rows; ++r) a_pairs[k / 2 * rows + r] = pair(a[k][r], a[k + 1][r]);
    for (int n = 0; n < cols; ++n) b_pairs[k / 2 * cols + n] = pair(b[k][n], b[k + 1][n]);
  }
  shape.bf16({.a = a_pairs,
              .a_row = 1,
              .a_step = rows,
              .b = b_pairs,
              .steps = kDepth / 2,
              .tile_steps = kTile / 2,
              .c = c,
              .c_stride = cols,
              .overwrite = true});
  for (int r = 0; r < rows; ++r) {
    for (int n = 0; n < cols; ++n) {
      using namespace hls;
      UInt32 total;
      for (int first = 0; first < kDepth; first += kTile) {
        UInt32 sum;
        for (int k = first; k < first + kTile; ++k) {
          sum = kernels::mac(UInt1(0), UInt16::from(a[k][r]), UInt16::from(b[k][n]), sum);
        }
        total = kernels::accumulate(UInt1(0), as_bit(first > 0), total, sum);
      }
      if (c[r * cols + n] != static_cast<std::uint32_t>(total.value())) return false;
    }
  }
  return true;
}

#endif

}  // namespace

#if defined(__x86_64__)
namespace avx512bf16 {
BlockKernels kernels(const char* name, bool (*runs_here)());
}
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
    const BlockKernels pairs = avx512bf16::kernels("avx512bf16", [] {
      return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("avx512bf16");
    });
    const bool has_pairs = pairs.runs_here() && pairs_keep_the_contract(pairs.wide) &&
                           pairs_keep_the_contract(pairs.narrow);
    // Intel's processors begin an instruction for pairs every second clock, and two for singles
    // every clock: half as many multiply-adds. AMD's do twice as many with pairs.
    const bool pairs_are_slow = __builtin_cpu_is("intel") != 0;
    if (has_pairs && !pairs_are_slow) add(pairs);
    add(avx512::kernels("avx512", [] {
      return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni");
    }));
    if (has_pairs && pairs_are_slow) add(pairs);
    add(avx2::kernels("avx2", [] { return __builtin_cpu_supports("x86-64-v3"); }));
#endif
    add({.name = "portable",
         .wide = kPortable<6, 16>,
         .narrow = kPortable<12, 8>,
         .bf16_words = Bf16Words::kSingles,
         .int8_words = Int8Words::kPairs,
         .rows = portable_row_kernels(),
         .runs_here = [] { return true; }});
    return found;
  }();
  return list;
}

}  // namespace systole
