// The block kernels for one vector instruction set; compiled once for each, with SYSTOLE_VECTOR_SET
// naming it. Includes nothing with inline functions: the linker could otherwise pick a copy
// compiled for a newer set for a function that the rest of the program shares.
#include <immintrin.h>

#include "sim/model/block_kernels.h"

namespace systole::SYSTOLE_VECTOR_SET {

RowKernels row_kernels();

namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
#else
constexpr int kLanes = 8;
#endif
// A block has kSums vectors of sums, which hide the multiply-add's latency and leave room for
// totals: 6 rows x 2 vectors or 12 x 1.
constexpr int kSums = 12;

using Floats = float __attribute__((ext_vector_type(kLanes)));
using Words = std::uint32_t __attribute__((ext_vector_type(kLanes)));

template <typename T>
[[gnu::always_inline]] inline T load(const std::uint32_t* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
[[gnu::always_inline]] inline void store(std::uint32_t* to, const T& value) {
  __builtin_memcpy(to, &value, sizeof value);
}

[[gnu::always_inline]] inline Floats one_nan(Floats value) {
  const Floats nan = __builtin_bit_cast(float, 0x7fc00000u);
  return value == value ? value : nan;
}

#if defined(__AVX512BF16__)
constexpr Bf16Words kBf16Words = Bf16Words::kPairs;

/// Two multiply-adds, each rounded once: the upper halves' first. Subnormals are zeros, whatever
/// the thread's mode.
[[gnu::always_inline]] inline Floats add_word(std::uint32_t activation, const Words& weight,
                                              const Floats& sum) {
  return __builtin_bit_cast(Floats,
                            _mm512_dpbf16_ps(__builtin_bit_cast(__m512, sum),
                                             __builtin_bit_cast(__m512bh, Words(activation)),
                                             __builtin_bit_cast(__m512bh, weight)));
}
#else
constexpr Bf16Words kBf16Words = Bf16Words::kSingles;

[[gnu::always_inline]] inline Floats add_word(std::uint32_t activation, const Words& weight,
                                              const Floats& sum) {
  const Floats broadcast = __builtin_bit_cast(float, activation);
  return __builtin_elementwise_fma(broadcast, __builtin_bit_cast(Floats, weight), sum);
}
#endif

/// The words of A for a step. Three rows share a pointer: an address has one pointer and one
/// stride, which it takes once or twice.
template <int kRows>
class Activations {
 public:
  explicit Activations(const Block& block) : row_(block.a_row), step_(block.a_step) {
    for (int i = 0; i < kPointers; ++i) first_[i] = block.a + 3 * i * row_;
  }
  [[gnu::always_inline]] std::uint32_t operator[](int row) const {
    return first_[row / 3][row % 3 * row_];
  }
  [[gnu::always_inline]] void next() {
#pragma unroll
    for (int i = 0; i < kPointers; ++i) first_[i] += step_;
  }

 private:
  static constexpr int kPointers = kRows / 3;
  const std::uint32_t* first_[kPointers];
  std::int64_t row_, step_;
};

/// sum = one tile's chain of multiply-adds.
template <int kRows, int kVectors>
[[gnu::always_inline]] inline void add_tile(Activations<kRows>& a, const std::uint32_t* b,
                                            std::int64_t steps, Floats (&sum)[kRows][kVectors]) {
  for (auto& row : sum) {
    for (Floats& value : row) value = 0.0f;
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    Words weight[kVectors];
    for (int v = 0; v < kVectors; ++v) weight[v] = load<Words>(b + (step * kVectors + v) * kLanes);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t activation = a[r];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) sum[r][v] = add_word(activation, weight[v], sum[r][v]);
    }
    a.next();
  }
}

template <int kVectors>
void bf16_block(const Block& block) {
  constexpr int kRows = kSums / kVectors;
  Activations<kRows> a(block);
  const std::uint32_t* b = block.b;
  std::int64_t left = block.steps;
  const auto next_tile = [&](Floats(&sum)[kRows][kVectors]) __attribute__((always_inline)) {
    const std::int64_t steps = left < block.tile_steps ? left : block.tile_steps;
    add_tile(a, b, steps, sum);
    b += steps * kVectors * kLanes;
    left -= steps;
  };

  Floats total[kRows][kVectors];
  if (block.overwrite) {
    next_tile(total);
  } else {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        total[r][v] = load<Floats>(block.c + r * block.c_stride + v * kLanes);
      }
    }
  }
  while (left > 0) {
    Floats sum[kRows][kVectors];
    next_tile(sum);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) total[r][v] += sum[r][v];
    }
  }
  if (block.streams) {
    for (int r = 0; r < kRows; ++r) {
      for (int v = 0; v < kVectors; ++v) {
        auto* to = reinterpret_cast<Floats*>(block.c + r * block.c_stride + v * kLanes);
        __builtin_nontemporal_store(one_nan(total[r][v]), to);
      }
    }
    return;
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      store(block.c + r * block.c_stride + v * kLanes, one_nan(total[r][v]));
    }
  }
}

#if defined(__AVX512VNNI__)
constexpr Int8Words kInt8Words = Int8Words::kQuads;

/// sum + the four products of every lane, modulo 2^32; the activations are unsigned.
[[gnu::always_inline]] inline Words add_products(Words sum, Words activation, Words weight) {
  return __builtin_bit_cast(Words, _mm512_dpbusd_epi32(__builtin_bit_cast(__m512i, sum),
                                                       __builtin_bit_cast(__m512i, activation),
                                                       __builtin_bit_cast(__m512i, weight)));
}

template <int kVectors>
void int8_offsets(const std::uint32_t* b, std::int64_t steps, std::uint32_t* offsets) {
  Words sum[kVectors] = {};
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int v = 0; v < kVectors; ++v) {
      sum[v] =
          add_products(sum[v], Words(0x8080'8080), load<Words>(b + (step * kVectors + v) * kLanes));
    }
  }
  for (int v = 0; v < kVectors; ++v) store(offsets + v * kLanes, Words(0) - sum[v]);
}
#else
constexpr Int8Words kInt8Words = Int8Words::kPairs;

/// sum + the products of two pairs of int16 in every lane, modulo 2^32.
[[gnu::always_inline]] inline Words add_products(Words sum, Words activation, Words weight) {
  return sum + __builtin_bit_cast(Words, _mm256_madd_epi16(__builtin_bit_cast(__m256i, activation),
                                                           __builtin_bit_cast(__m256i, weight)));
}

template <int kVectors>
constexpr decltype(BlockShape::int8_offsets) int8_offsets = nullptr;
#endif

template <int kVectors>
void int8_block(const Block& block) {
  constexpr int kRows = kSums / kVectors;
  Activations<kRows> a(block);
  Words total[kRows][kVectors];
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      total[r][v] =
          block.overwrite ? Words(0) : load<Words>(block.c + r * block.c_stride + v * kLanes);
      if constexpr (kInt8Words == Int8Words::kQuads)
        total[r][v] += load<Words>(block.b_offsets + v * kLanes);
    }
  }
  for (std::int64_t step = 0; step < block.steps; ++step) {
    Words weight[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      weight[v] = load<Words>(block.b + (step * kVectors + v) * kLanes);
    }
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const Words activation = a[r];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) {
        total[r][v] = add_products(total[r][v], activation, weight[v]);
      }
    }
    a.next();
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      store(block.c + r * block.c_stride + v * kLanes, total[r][v]);
    }
  }
}

template <int kVectors>
constexpr BlockShape kShape{.rows = kSums / kVectors,
                            .cols = kVectors * kLanes,
                            .bf16 = bf16_block<kVectors>,
                            .int8 = int8_block<kVectors>,
                            .int8_offsets = int8_offsets<kVectors>};

}  // namespace

BlockKernels kernels(const char* name, bool (*runs_here)()) {
  return {.name = name,
          .wide = kShape<2>,
          .narrow = kShape<1>,
          .bf16_words = kBf16Words,
          .int8_words = kInt8Words,
          .rows = row_kernels(),
          .runs_here = runs_here};
}

}  // namespace systole::SYSTOLE_VECTOR_SET
