// Whole matrix products through the matrix unit as native C++, against the plain loops.

#include "hls/kernels/matrix_unit.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "hls/reference/matmul.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0012;

struct Product {
  reference::MatmulShape shape;
  std::vector<std::uint16_t> a, b;
  std::vector<std::uint32_t> c;
};

std::uint16_t random_operand(Random& random) {
  return static_cast<std::uint16_t>((random.bits16() & 0x807f) | (random.between(118, 136) << 7));
}

Product random_product(const reference::MatmulShape& shape, Random& random) {
  Product product;
  product.shape = shape;
  product.a.resize(static_cast<std::size_t>(shape.rows) * shape.depth);
  product.b.resize(static_cast<std::size_t>(shape.depth) * shape.cols);
  product.c.resize(static_cast<std::size_t>(shape.rows) * shape.cols);
  for (auto& x : product.a) x = random_operand(random);
  for (auto& x : product.b) x = random_operand(random);
  for (auto& x : product.c) x = std::uint32_t{random_operand(random)} << 16;
  return product;
}

// Drives the ports as a sequencer does, for one block of at most kN columns of C: weights of tile
// i + 1 enter while rows of tile i do. rows <= kBankRows, so one bank holds the block.
template <int kN, int kBankRows>
class Driver {
 public:
  using Unit = kernels::MatrixUnit<kN, kBankRows>;

  Driver(Product& product, bool is_int8)
      : product_(product), is_int8_(is_int8), unit_(std::make_unique<Unit>()) {
    unit_->reset();
  }

  /// Computes C; returns the clocks from the first row of the first tile to the last of the last.
  int run(int first_col) {
    first_col_ = first_col;
    const auto& shape = product_.shape;
    if (shape.accumulate) preload();
    const int tiles = (shape.depth + kN - 1) / kN;
    load_weights(0);
    int first_row = now_;
    int row_start = now_;
    for (int tile = 0; tile < tiles; ++tile) {
      if (tile > 0) wait_until(row_start + Unit::kLoopCycles);
      row_start = now_;
      if (tile == 0) first_row = now_;
      const int clocks = std::max(shape.rows, tile + 1 < tiles ? kN + 1 : 0);
      for (int i = 0; i < clocks; ++i) {
        auto in = idle();
        if (i < shape.rows) enter_row(in, tile, i);
        // The other plane is free from the clock after its last row.
        if (tile + 1 < tiles && i >= 1 && i <= kN) enter_weights(in, tile + 1, i - 1);
        clock(in);
      }
    }
    const int clocks = now_ - first_row;
    wait_until(now_ + Unit::kArrayCycles + Unit::kLoopCycles);
    read_block();
    return clocks;
  }

 private:
  static typename Unit::Inputs idle() { return {}; }

  typename Unit::Outputs clock(const typename Unit::Inputs& in) {
    ++now_;
    return unit_->clock(in);
  }
  void wait_until(int clock_number) {
    while (now_ < clock_number) clock(idle());
  }

  std::uint16_t a(int row, int k) const {
    const bool inside = k < product_.shape.depth;
    return inside ? product_.a[static_cast<std::size_t>(row * product_.shape.depth + k)]
                  : std::uint16_t{0};
  }
  std::uint16_t b(int k, int col) const {
    const bool inside = k < product_.shape.depth && col < product_.shape.cols;
    return inside ? product_.b[static_cast<std::size_t>(k * product_.shape.cols + col)]
                  : std::uint16_t{0};
  }

  void enter_row(typename Unit::Inputs& in, int tile, int row) {
    in.row_valid = UInt1(1);
    for (int k = 0; k < kN; ++k) in.activation[k] = UInt16::from(a(row, tile * kN + k));
    in.plane = as_bit(tile % 2 != 0);
    in.is_int8 = as_bit(is_int8_);
    in.row = Unit::Row::from(static_cast<unsigned>(row));
    in.accumulate = as_bit(tile > 0 || product_.shape.accumulate);
  }

  void enter_weights(typename Unit::Inputs& in, int tile, int column) {
    in.weight_valid = UInt1(1);
    for (int k = 0; k < kN; ++k) {
      in.weight[k] = UInt16::from(b(tile * kN + k, first_col_ + column));
    }
    in.weight_column = UInt<kernels::kHopBits>::from(static_cast<unsigned>(column));
    in.weight_plane = as_bit(tile % 2 != 0);
  }

  void load_weights(int tile) {
    for (int column = 0; column < kN; ++column) {
      auto in = idle();
      enter_weights(in, tile, column);
      clock(in);
    }
  }

  std::uint32_t* element(int row, int n) {
    const int col = first_col_ + n;
    if (col >= product_.shape.cols) return nullptr;
    return &product_.c[static_cast<std::size_t>(row * product_.shape.cols + col)];
  }

  void preload() {
    for (int row = 0; row < product_.shape.rows; ++row) {
      auto in = idle();
      in.preload_valid = UInt1(1);
      in.preload_row = Unit::Row::from(static_cast<unsigned>(row));
      for (int n = 0; n < kN; ++n) {
        if (const std::uint32_t* c = element(row, n)) in.preload[n] = UInt32::from(*c);
      }
      clock(in);
    }
  }

  void read_block() {
    for (int i = 0; i < product_.shape.rows + Unit::kReadCycles; ++i) {
      auto in = idle();
      in.read_valid = as_bit(i < product_.shape.rows);
      in.read_row = Unit::Row::from(static_cast<unsigned>(i % product_.shape.rows));
      const auto out = clock(in);
      const int row = i - Unit::kReadCycles;
      CHECK(static_cast<bool>(out.result_valid) == (row >= 0));
      for (int n = 0; row >= 0 && n < kN; ++n) {
        if (std::uint32_t* c = element(row, n))
          *c = static_cast<std::uint32_t>(out.result[n].value());
      }
    }
  }

  Product& product_;
  const bool is_int8_;
  std::unique_ptr<Unit> unit_;
  int now_ = 0;
  int first_col_ = 0;
};

template <int kN, int kBankRows>
int run_on_unit(Product& product, bool is_int8) {
  Driver<kN, kBankRows> driver(product, is_int8);
  int clocks = 0;
  for (int col = 0; col < product.shape.cols; col += kN) clocks = driver.run(col);
  return clocks;
}

std::vector<std::uint32_t> expected(const Product& product, bool is_int8) {
  std::vector<std::uint32_t> c = product.c;
  if (!is_int8) {
    reference::matmul_bf16(product.shape, product.a, product.b, c);
    return c;
  }
  std::vector<std::int8_t> a(product.a.begin(), product.a.end());
  std::vector<std::int8_t> b(product.b.begin(), product.b.end());
  std::vector<std::int32_t> sums(c.begin(), c.end());
  reference::matmul_int8(product.shape, a, b, sums);
  return {sums.begin(), sums.end()};
}

template <int kN>
void check_ragged_sizes() {
  Random random(kSeed);
  const int sizes[] = {1, kN - 1, kN, kN + 1, 2 * kN + 1};
  for (const int rows : sizes) {
    for (const int depth : sizes) {
      for (const int cols : sizes) {
        const bool is_int8 = random.below(2) == 0;
        const reference::MatmulShape shape{.rows = rows,
                                           .depth = depth,
                                           .cols = cols,
                                           .array_size = kN,
                                           .accumulate = random.below(2) == 0};
        INFO("N " << kN << ", rows " << rows << ", depth " << depth << ", cols " << cols
                  << ", int8 " << is_int8 << ", accumulate " << shape.accumulate << ", seed "
                  << kSeed);
        Product product = random_product(shape, random);
        const auto c = expected(product, is_int8);
        run_on_unit<kN, 64>(product, is_int8);
        CHECK(product.c == c);
      }
    }
  }
}

TEST_CASE("matrix unit of 4 multiplies ragged matrices to the oracle's bits", "[matrix_unit]") {
  check_ragged_sizes<4>();
}

TEST_CASE("matrix unit of 8 multiplies ragged matrices to the oracle's bits", "[matrix_unit]") {
  check_ragged_sizes<8>();
}

TEST_CASE("a tile of more than N rows takes as many clocks as it has rows", "[matrix_unit]") {
  Random random(kSeed);
  constexpr int kTiles = 5;
  for (const int rows : {9, 16, 17, 64}) {
    INFO("rows " << rows << ", seed " << kSeed);
    Product product =
        random_product({.rows = rows, .depth = 8 * kTiles, .cols = 8, .array_size = 8}, random);
    const auto c = expected(product, false);
    CHECK(run_on_unit<8, 64>(product, false) == kTiles * rows);
    CHECK(product.c == c);
  }
}

}  // namespace
}  // namespace systole::tests
