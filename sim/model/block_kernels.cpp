#include "sim/model/block_kernels.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <algorithm>

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

/// Whether this processor adds up bf16 products as the HLS C++ does, one after the other and each
/// rounded once. Makers document their instructions for pairs and tiles this way; a bit-exact
/// contract checks.
///
/// Limits   kernels of at most 64 columns
bool keeps_the_contract(const BlockKernels& kernels, const BlockShape& shape) {
  constexpr int kDepth = 32;
  constexpr int kTile = 4;
  const int rows = shape.rows, cols = shape.cols;
  const int elements = static_cast<int>(kernels.bf16_words), steps = kDepth / elements;
  const FlushToZero flush;
  const MatrixUnit unit(kernels, kTile / elements);
  std::uint32_t state = 1;
  std::uint16_t a[kDepth][kPanelRows];
  std::uint16_t b[kDepth][64];
  alignas(64) std::uint32_t a_words[kDepth * kPanelRows] = {};
  alignas(64) std::uint32_t b_words[kDepth * 64] = {};
  alignas(64) std::uint32_t c[kPanelRows * 64];
  for (int k = 0; k < kDepth; ++k) {
    const int step = k / elements, shift = k % elements == 0 ? 16 : 0;
    for (int r = 0; r < rows; ++r) {
      a[k][r] = next_bf16(state);
      a_words[r * steps + step] |= std::uint32_t{a[k][r]} << shift;
    }
    for (int n = 0; n < cols; ++n) {
      b[k][n] = next_bf16(state);
      b_words[step * cols + n] |= std::uint32_t{b[k][n]} << shift;
    }
  }
  shape.bf16({.a = a_words,
              .a_row = steps,
              .a_step = 1,
              .b = b_words,
              .steps = steps,
              .tile_steps = kTile / elements,
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

bool keeps_the_contract(const BlockKernels& kernels) {
  return keeps_the_contract(kernels, kernels.wide) && keeps_the_contract(kernels, kernels.narrow);
}

/// Whether the system lets this process use the registers of the matrix unit.
bool has_tile_registers() {
#if defined(__linux__)
  constexpr int kRequestPermission = 0x1023, kTileData = 18;  // arch_prctl, as asm/prctl.h has them
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

#endif

}  // namespace

#if defined(__x86_64__)
namespace amx {
BlockKernels kernels(const char* name, bool (*runs_here)());
}
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
    const BlockKernels tiles = amx::kernels("amx", [] {
      return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("amx-bf16") && has_tile_registers();
    });
    if (tiles.runs_here() && keeps_the_contract(tiles)) add(tiles);
    const BlockKernels pairs = avx512bf16::kernels("avx512bf16", [] {
      return __builtin_cpu_supports("x86-64-v4") && __builtin_cpu_supports("avx512vnni") &&
             __builtin_cpu_supports("avx512bf16");
    });
    const bool has_pairs = pairs.runs_here() && keeps_the_contract(pairs);
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

const BlockKernels& fastest_by_vectors() {
  static const BlockKernels& found = *std::ranges::find_if(
      block_kernels(), [](const BlockKernels& kernels) { return kernels.unit.begin == nullptr; });
  return found;
}

}  // namespace systole
