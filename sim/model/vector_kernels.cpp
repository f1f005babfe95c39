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

#if defined(__AMX_BF16__)
// The matrix unit multiplies pairs of bf16. A word is the second of a pair, the first is zero. Then
// an instruction does what the array does with a tile: a chain of multiply-adds from +0 for each
// element, each rounded once, whose sum is added to C. Subnormals are zeros.
constexpr int kTileRows = kSums;
constexpr int kTileSteps = 16;

/// What LDTILECFG takes.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};

enum Tile { kC0, kC1, kA, kB0, kB1 };

void begin_tiles(std::int64_t tile_steps) {
  constexpr int kLaneBytes = kLanes * 4;
  TileShapes shapes;
  const auto set = [&](Tile tile, std::int64_t rows, std::int64_t bytes) {
    shapes.rows[tile] = static_cast<std::uint8_t>(rows);
    shapes.row_bytes[tile] = static_cast<std::uint16_t>(bytes);
  };
  set(kC0, kTileRows, kLaneBytes);
  set(kC1, kTileRows, kLaneBytes);
  set(kA, kTileRows, 4 * tile_steps);
  set(kB0, tile_steps, kLaneBytes);
  set(kB1, tile_steps, kLaneBytes);
  _tile_loadconfig(&shapes);
}

void end_tiles() { _tile_release(); }

/// The least exponent of normal numbers among these words, with its bias; 255 if there is none.
struct LeastExponent {
  Words lanes = Words(255);

  void take(const Words& words) {
    const Words exponent = words << 1 >> 24;
    lanes = __builtin_elementwise_min(lanes, exponent == 0 ? Words(255) : exponent);
  }
  void take(const std::uint32_t* words, std::int64_t count) {
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) take(load<Words>(words + i));
    for (; i < count; ++i) take(Words(words[i]));
  }
  std::uint32_t value() const { return __builtin_reduce_min(lanes); }
};

/// Whether a sum of the block may be too small for a normal number, and so become a zero with a
/// sign. All sums are multiples of the product of the operands' last places.
template <int kVectors>
bool may_underflow(const Block& block) {
  constexpr int kBias = 127, kBf16Places = 7, kFp32Places = 23;
  std::uint32_t in_b = block.b_exponent == nullptr ? 0 : *block.b_exponent;
  if (in_b == 0) {
    LeastExponent b;
    b.take(block.b, block.steps * kVectors * kLanes);
    in_b = b.value();
    if (block.b_exponent != nullptr) *block.b_exponent = in_b;
  }
  LeastExponent a, c;
  for (int r = 0; r < kTileRows; ++r) a.take(block.a + r * block.a_row, block.steps);
  if (a.value() + in_b < kBias + 1 + 2 * kBf16Places) return true;
  for (int r = 0; r < kTileRows && !block.overwrite; ++r) {
    c.take(block.c + r * block.c_stride, kVectors * kLanes);
  }
  return c.value() < kFp32Places + 1;
}

/// Two blocks of half the rows, or one of all.
template <int kVectors, typename Function>
void by_vectors(Block block, const Function& function) {
  constexpr int kRows = kSums / kVectors;
  for (int row = 0; row < kTileRows; row += kRows) {
    function(block);
    block.a += kRows * block.a_row;
    block.c += kRows * block.c_stride;
  }
}

/// Only a zero's sign may differ from the array's: an underflow's is lost where the other chain's
/// +0 is added. Blocks with such zeros are computed by vectors.
template <int kVectors>
void bf16_tiles(const Block& block) {
  if (block.tile_steps > kTileSteps) return by_vectors<kVectors>(block, bf16_block<kVectors>);
  constexpr std::int64_t kRowBytes = kVectors * kLanes * 4;
  const auto c_bytes = block.c_stride * 4;
  if (block.overwrite) {
    _tile_zero(kC0);
    if constexpr (kVectors == 2) _tile_zero(kC1);
  } else {
    _tile_loadd(kC0, block.c, c_bytes);
    if constexpr (kVectors == 2) _tile_loadd(kC1, block.c + kLanes, c_bytes);
  }
  for (std::int64_t step = 0; step < block.steps; step += block.tile_steps) {
    const std::uint32_t* b = block.b + step * kVectors * kLanes;
    _tile_loadd(kA, block.a + step, block.a_row * 4);
    _tile_loadd(kB0, b, kRowBytes);
    _tile_dpbf16ps(kC0, kA, kB0);
    if constexpr (kVectors == 2) {
      _tile_loadd(kB1, b + kLanes, kRowBytes);
      _tile_dpbf16ps(kC1, kA, kB1);
    }
  }
  alignas(64) std::uint32_t sums[kTileRows * kVectors * kLanes];
  _tile_stored(kC0, sums, kRowBytes);
  if constexpr (kVectors == 2) _tile_stored(kC1, sums + kLanes, kRowBytes);

  const auto sum_at = [&](int r, int v) {
    return load<Floats>(sums + (r * kVectors + v) * kLanes);
  };
  Words zeros = 0;
  for (int r = 0; r < kTileRows; ++r) {
    for (int v = 0; v < kVectors; ++v) zeros |= __builtin_bit_cast(Words, sum_at(r, v) == 0.0f);
  }
  if (__builtin_reduce_or(zeros) != 0 && may_underflow<kVectors>(block)) {
    return by_vectors<kVectors>(block, bf16_block<kVectors>);
  }
  for (int r = 0; r < kTileRows; ++r) {
    for (int v = 0; v < kVectors; ++v) {
      std::uint32_t* to = block.c + r * block.c_stride + v * kLanes;
      if (block.streams) {
        __builtin_nontemporal_store(one_nan(sum_at(r, v)), reinterpret_cast<Floats*>(to));
      } else {
        store(to, one_nan(sum_at(r, v)));
      }
    }
  }
}
#endif

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

#if defined(__AMX_BF16__)
template <int kVectors>
void int8_tile(const Block& block) {
  by_vectors<kVectors>(block, int8_block<kVectors>);
}

template <int kVectors>
constexpr BlockShape kShape{.rows = kTileRows,
                            .cols = kVectors * kLanes,
                            .bf16 = bf16_tiles<kVectors>,
                            .int8 = int8_tile<kVectors>,
                            .int8_offsets = int8_offsets<kVectors>};
constexpr MatrixUnitUse kUnit{.tile_steps = kTileSteps, .begin = begin_tiles, .end = end_tiles};
#else
template <int kVectors>
constexpr BlockShape kShape{.rows = kSums / kVectors,
                            .cols = kVectors * kLanes,
                            .bf16 = bf16_block<kVectors>,
                            .int8 = int8_block<kVectors>,
                            .int8_offsets = int8_offsets<kVectors>};
constexpr MatrixUnitUse kUnit;
#endif

}  // namespace

BlockKernels kernels(const char* name, bool (*runs_here)()) {
  return {.name = name,
          .wide = kShape<2>,
          .narrow = kShape<1>,
          .bf16_words = kBf16Words,
          .int8_words = kInt8Words,
          .rows = row_kernels(),
          .runs_here = runs_here,
          .unit = kUnit};
}

}  // namespace systole::SYSTOLE_VECTOR_SET
