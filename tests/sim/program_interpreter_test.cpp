// Programs written by hand, one command at a time, against the oracles.
#include "sim/device/program_interpreter.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "hls/reference/convert.h"
#include "hls/reference/fp32.h"
#include "hls/reference/matmul.h"
#include "host/compiler/schedule/program_builder.h"
#include "host/device/convert.h"
#include "tests/sim/flat_memory.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using device::CommandWord;
using device::encode;
using device::FaultCode;
using device::LoadBuffer;
using device::LoadType;
using device::StoreFormat;
using tests::FlatMemory;
using tests::Random;

constexpr std::uint64_t kSeed = 5;
constexpr std::uint64_t kBase = 0x1000, kSize = 1 << 20;
constexpr std::uint64_t kA = 0x2002, kB = 0x8006, kC = 0x20004, kBias = 0x30000, kMask = 0x40002;
constexpr int kN = 4;

std::vector<std::uint16_t> random_bf16(Random& random, std::size_t count) {
  std::vector<std::uint16_t> values(count);
  for (std::uint16_t& value : values) {
    value = static_cast<std::uint16_t>(random.below(2) << 15 | (120 + random.below(12)) << 7 |
                                       random.below(128));
  }
  return values;
}

template <typename T>
std::vector<T> transposed(const std::vector<T>& matrix, int rows, int cols) {
  std::vector<T> out(matrix.size());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      out[static_cast<std::size_t>(c * rows + r)] = matrix[static_cast<std::size_t>(r * cols + c)];
    }
  }
  return out;
}

struct Bench {
  FlatMemory memory{kBase, kSize};
  ProgramInterpreter interpreter{kN, memory};

  Bench() {
    const ProgramWindow all{kBase, kBase + kSize, true, true};
    interpreter.set_windows({&all, 1});
  }
  ProgramFault run(const std::vector<CommandWord>& program) { return interpreter.run(program); }
};

/// C[rows, cols <= N] = A B with all of A and B loaded at once.
struct Small {
  int rows = 6, depth = 10, cols = 3;
  bool transpose_a = false, transpose_b = false, accumulate = false;

  std::uint16_t tiles() const { return static_cast<std::uint16_t>((depth + kN - 1) / kN); }

  std::vector<CommandWord> loads() const {
    const auto u16 = [](int value) { return static_cast<std::uint16_t>(value); };
    const int a_rows = transpose_a ? depth : rows, a_cols = transpose_a ? rows : depth;
    const int b_rows = transpose_b ? cols : depth, b_cols = transpose_b ? depth : cols;
    return {encode(device::LoadShape{u16(a_rows), u16(a_cols), 32,
                                     static_cast<std::uint32_t>(2 * a_cols)}),
            encode(device::Load{.address = kA, .row = 8190, .type = LoadType::kBf16}),
            encode(device::LoadShape{u16(b_rows), u16(b_cols), 40,
                                     static_cast<std::uint32_t>(2 * b_cols)}),
            encode(device::Load{
                .address = kB, .row = 7, .buffer = LoadBuffer::kWeights, .type = LoadType::kBf16})};
  }
  std::vector<CommandWord> product(bool ones_row = false) const {
    std::vector<CommandWord> program = loads();
    program.push_back(encode(device::MatmulShape{static_cast<std::uint16_t>(rows), 32, 40, tiles(),
                                                 static_cast<std::uint8_t>((depth - 1) % kN + 1)}));
    program.push_back(encode(device::Matmul{.a_row = 8190,
                                            .b_row = 7,
                                            .sum_row = 1022,
                                            .transpose_a = transpose_a,
                                            .transpose_b = transpose_b,
                                            .accumulate = accumulate,
                                            .ones_row = ones_row}));
    return program;
  }
};

std::vector<CommandWord> operator+(std::vector<CommandWord> a, const std::vector<CommandWord>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("interpreted products have the oracle's bits in every layout", "[program_interpreter]") {
  Random random(kSeed);
  for (int i = 0; i < 16; ++i) {
    const Small small{.rows = 1 + static_cast<int>(random.below(20)),
                      .depth = 1 + static_cast<int>(random.below(20)),
                      .cols = 1 + static_cast<int>(random.below(kN)),
                      .transpose_a = (i & 1) != 0,
                      .transpose_b = (i & 2) != 0,
                      .accumulate = (i & 4) != 0};
    INFO(small.rows << " x " << small.depth << " x " << small.cols << ", layout " << i);
    const auto area = [](int rows, int cols) { return static_cast<std::size_t>(rows * cols); };
    const auto a = random_bf16(random, area(small.rows, small.depth));
    const auto b = random_bf16(random, area(small.depth, small.cols));
    std::vector<std::uint32_t> c(area(small.rows, small.cols), 0x3f80'0000);
    Bench bench;
    bench.memory.put(kA, small.transpose_a ? transposed(a, small.rows, small.depth) : a);
    bench.memory.put(kB, small.transpose_b ? transposed(b, small.depth, small.cols) : b);
    bench.memory.put(kC, c);

    std::vector<CommandWord> program;
    const auto stride = static_cast<std::uint32_t>(4 * small.cols);
    if (small.accumulate) {
      program = {encode(device::LoadShape{static_cast<std::uint16_t>(small.rows),
                                          static_cast<std::uint16_t>(small.cols), 0, stride}),
                 encode(device::Load{.address = kC,
                                     .row = 1022,
                                     .buffer = LoadBuffer::kAccumulators,
                                     .type = LoadType::kWord32})};
    }
    program = program + small.product() +
              std::vector{encode(device::StoreShape{static_cast<std::uint16_t>(small.rows),
                                                    static_cast<std::uint8_t>(small.cols), stride}),
                          encode(device::Store{.address = kC, .sum_row = 1022})};
    REQUIRE(bench.run(program) == ProgramFault{});
    reference::matmul_bf16({small.rows, small.depth, small.cols, kN, small.accumulate}, a, b, c);
    REQUIRE(bench.memory.get<std::uint32_t>(kC, c.size()) == c);
  }
}

TEST_CASE("an interpreted program fuses bias, mask, ReLU, conversion and column sums",
          "[program_interpreter]") {
  Random random(kSeed);
  const Small small{.accumulate = true};
  const auto a = random_bf16(random, 60), b = random_bf16(random, 30),
             mask = random_bf16(random, 18);
  const std::vector<std::uint32_t> bias = {0x3f80'0000, 0xc000'0000, 0x4040'0000};
  Bench bench;
  bench.memory.put(kA, a);
  bench.memory.put(kB, b);
  bench.memory.put(kBias, bias);
  bench.memory.put(kMask, mask);
  const std::vector<CommandWord> preload = {
      encode(device::LoadShape{6, 3, 0, 0}),
      encode(device::Load{.address = kBias,
                          .row = 1022,
                          .buffer = LoadBuffer::kAccumulators,
                          .type = LoadType::kWord32}),
      encode(device::LoadShape{6, 3, 0, 6}),
      encode(device::Load{
          .address = kMask, .row = 2046, .buffer = LoadBuffer::kMasks, .type = LoadType::kBf16})};
  const std::vector<CommandWord> store = {encode(device::StoreShape{6, 3, 6}),
                                          encode(device::Store{.address = kC,
                                                               .sum_row = 1022,
                                                               .mask_row = 2046,
                                                               .format = StoreFormat::kBf16,
                                                               .relu = true,
                                                               .masked = true}),
                                          encode(device::StoreShape{1, 3, 0}),
                                          encode(device::Store{.address = kC + 100, .sum_row = 4})};
  REQUIRE(bench.run(preload + small.product(true) + store) == ProgramFault{});

  std::vector<std::uint32_t> c;
  for (int m = 0; m < 6; ++m) c.insert(c.end(), bias.begin(), bias.end());
  reference::matmul_bf16({6, 10, 3, kN, true}, a, b, c);
  std::vector<std::uint16_t> expected;
  for (std::size_t i = 0; i < c.size(); ++i) {
    const bool keep = (c[i] & 0x8000'0000) == 0 && (mask[i] & 0x8000) == 0;
    expected.push_back(keep ? reference::fp32_to_bf16(c[i]) : std::uint16_t{0});
  }
  REQUIRE(bench.memory.get<std::uint16_t>(kC, 18) == expected);

  // The row of ones follows the six: sum_row 1022 + 6 wraps to 4. It is added to the accumulators'
  // contents there: zeros.
  std::vector<std::uint32_t> sums(3);
  reference::matmul_bf16({1, 10, 3, kN, true}, std::vector<std::uint16_t>(10, 0x3f80), b, sums);
  REQUIRE(bench.memory.get<std::uint32_t>(kC + 100, 3) == sums);
}

TEST_CASE("sums that start from a bias's three terms have the bits of the bias",
          "[program_interpreter]") {
  Random random(kSeed);
  constexpr int kRows = 75, kDepth = 7, kCols = 10;
  constexpr std::uint64_t kBiasTerms = 0x50000, kOnes = 0x60000, kC2 = 0x70000;
  Bench bench;
  bench.memory.put(kA, random_bf16(random, kRows * kDepth));
  bench.memory.put(kB, random_bf16(random, kDepth * kCols));
  std::vector<std::uint32_t> bias;
  std::vector<std::uint16_t> terms(3 * kCols);
  for (int i = 0; i < kCols; ++i) {
    bias.push_back(random.below(2) << 31 | (110 + random.below(20)) << 23 | random.below(1 << 23));
    float rest = std::bit_cast<float>(bias.back());
    for (int term = 0; term < 3; ++term) {
      terms[static_cast<std::size_t>(term * kCols + i)] = to_bf16(rest);
      rest -= to_fp32(to_bf16(rest));
    }
    REQUIRE(rest == 0);
  }
  bench.memory.put(kBias, bias);
  bench.memory.put(kBiasTerms, terms);
  const DeviceSizes sizes{.array_size = kN};
  bench.memory.put(
      kOnes, std::vector<std::uint16_t>(static_cast<std::size_t>(3 * sizes.bank_rows), 0x3f80));
  const Product loaded{
      .a = kA, .b = kB, .c = kC, .bias = kBias, .rows = kRows, .depth = kDepth, .cols = kCols};
  Product added = loaded;
  added.bias = kBiasTerms;
  added.ones = kOnes;
  added.c = kC2;
  const Product both[] = {loaded, added};
  REQUIRE(bench.run(build_program(both, sizes)) == ProgramFault{});
  CHECK(bench.memory.get<std::uint32_t>(kC2, kRows * kCols) ==
        bench.memory.get<std::uint32_t>(kC, kRows * kCols));

  added.bias = 0;
  CHECK_THROWS_WITH(build_program({&added, 1}, sizes), Catch::Contains("a bias of a bf16 product"));
}

TEST_CASE("interpreted int8 products wrap, and convert with a scale", "[program_interpreter]") {
  std::vector<std::int8_t> a, b;
  Random random(kSeed);
  for (int i = 0; i < 4 * 9; ++i) a.push_back(static_cast<std::int8_t>(random.below(256)));
  for (int i = 0; i < 9 * 4; ++i) b.push_back(static_cast<std::int8_t>(random.below(256)));
  Bench bench;
  bench.memory.put(kA, a);
  bench.memory.put(kB, b);
  REQUIRE(bench.run(
              {encode(device::LoadShape{4, 9, 4, 9}), encode(device::Load{.address = kA}),
               encode(device::LoadShape{9, 4, 0, 4}),
               encode(device::Load{.address = kB, .buffer = LoadBuffer::kWeights}),
               encode(device::MatmulShape{4, 4, 0, 3, 1}), encode(device::Matmul{.is_int8 = true}),
               encode(device::StoreShape{4, 4, 16}), encode(device::Store{.address = kC}),
               encode(device::StoreScale{.scale = 77, .shift = 13}),
               encode(device::StoreShape{4, 4, 4}),
               encode(device::Store{.address = kC + 64, .format = StoreFormat::kInt8FromInt32})}) ==
          ProgramFault{});
  std::vector<std::int32_t> c(16);
  reference::matmul_int8({4, 9, 4, kN, false}, a, b, c);
  REQUIRE(bench.memory.get<std::int32_t>(kC, 16) == c);
  std::vector<std::int8_t> scaled;
  for (const std::int32_t sum : c) scaled.push_back(reference::requantize(sum, 77, 13));
  REQUIRE(bench.memory.get<std::int8_t>(kC + 64, 16) == scaled);
}

TEST_CASE("stochastic stores draw one number a row from each lane's state",
          "[program_interpreter]") {
  Bench bench;
  std::vector<std::uint32_t> sums;
  for (std::uint32_t i = 0; i < 8; ++i) sums.push_back(0x3f80'4000 + i * 0x1357);
  bench.memory.put(kA, sums);
  REQUIRE(bench.run(
              {encode(device::LoadShape{2, 4, 0, 16}),
               encode(device::Load{
                   .address = kA, .buffer = LoadBuffer::kAccumulators, .type = LoadType::kWord32}),
               encode(device::StoreScale{.seed = 0x9e37'79b9}), encode(device::StoreShape{2, 4, 8}),
               encode(device::Store{.address = kC, .format = StoreFormat::kBf16Stochastic})}) ==
          ProgramFault{});
  std::vector<std::uint16_t> expected(8);
  for (std::uint32_t n = 0; n < 4; ++n) {
    std::uint32_t state = 0x9e37'79b9U ^ n * 0x9e37'79b9U;
    if (state == 0) state = 1;  // lane 1
    for (std::uint32_t m = 0; m < 2; ++m) {
      state = reference::random_step(state);
      expected[m * 4 + n] = reference::fp32_to_bf16_stochastic(
          sums[m * 4 + n], static_cast<std::uint16_t>(state & 0xffff));
    }
  }
  REQUIRE(bench.memory.get<std::uint16_t>(kC, 8) == expected);
}

TEST_CASE("patches are those of a padded convolution, across images", "[program_interpreter]") {
  // Two images of 5 x 4 pixels of 3 int8 channels; 3 x 2 kernels, stride 2, padded by 1 and 1.
  constexpr int kHeight = 5, kWidth = 4, kChannels = 3, kOutHeight = 3, kOutWidth = 2;
  std::vector<std::int8_t> images(2 * kHeight * kWidth * kChannels);
  for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<std::int8_t>(i + 1);
  Bench bench;
  bench.memory.put(kA, images);
  std::vector<std::int8_t> ones(18 * kN);
  for (int k = 0; k < 18; ++k) ones[static_cast<std::size_t>(k * kN + k % kN)] = 1;
  bench.memory.put(kB, ones);
  constexpr int kFirst = 3, kRows = 2 * kOutHeight * kOutWidth - kFirst;
  REQUIRE(bench.run({encode(device::LoadPatches{.height = kHeight,
                                                .width = kWidth,
                                                .pixel_bytes = kChannels,
                                                .out_height = kOutHeight,
                                                .out_width = kOutWidth,
                                                .kernel_height = 3,
                                                .kernel_width = 2,
                                                .stride = 2,
                                                .pad_top = 1,
                                                .pad_left = 1}),
                     encode(device::LoadShape{kRows, 18, kRows, 60}),
                     encode(device::Load{.address = kA, .patches = true, .out_y = 1, .out_x = 1}),
                     encode(device::LoadShape{18, kN, 0, kN}),
                     encode(device::Load{.address = kB, .buffer = LoadBuffer::kWeights}),
                     encode(device::MatmulShape{kRows, kRows, 0, 5, 2}),
                     encode(device::Matmul{.is_int8 = true}),
                     encode(device::StoreShape{kRows, kN, 4 * kN}),
                     encode(device::Store{.address = kC})}) == ProgramFault{});

  std::vector<std::int32_t> expected;
  for (int pixel = kFirst; pixel < kFirst + kRows; ++pixel) {
    const int image = pixel / (kOutHeight * kOutWidth);
    const int top = pixel / kOutWidth % kOutHeight * 2 - 1, left = pixel % kOutWidth * 2 - 1;
    std::vector<std::int32_t> sums(kN);
    for (int k = 0; k < 18; ++k) {
      const int y = top + k / 6, x = left + k / 3 % 2;
      const bool inside = y >= 0 && y < kHeight && x >= 0 && x < kWidth;
      const int at = ((image * kHeight + y) * kWidth + x) * kChannels + k % 3;
      if (inside) sums[static_cast<std::size_t>(k % kN)] += images[static_cast<std::size_t>(at)];
    }
    expected.insert(expected.end(), sums.begin(), sums.end());
  }
  REQUIRE(bench.memory.get<std::int32_t>(kC, expected.size()) == expected);
}

TEST_CASE("the interpreter refuses a command whose shape is not set", "[program_interpreter]") {
  Bench bench;
  const CommandWord shape = encode(device::StoreShape{1, 4, 0});
  const CommandWord store = encode(device::Store{.address = kC});
  const CommandWord scaled =
      encode(device::Store{.address = kC, .format = StoreFormat::kInt8FromFp32});
  const CommandWord scale = encode(device::StoreScale{.scale = 0x3f80});
  CHECK(bench.run({store}) == ProgramFault{FaultCode::kMissingShape, 0, 0});
  CHECK(bench.run({shape, store, scaled}) == ProgramFault{FaultCode::kMissingShape, 2, 0});
  CHECK(bench.run({scale, scaled, store}) == ProgramFault{});
  bench.interpreter.reset();
  CHECK(bench.run({scale, scaled}) == ProgramFault{FaultCode::kMissingShape, 1, 0});
}

TEST_CASE("the interpreter reports the first fault with its command and address",
          "[program_interpreter]") {
  Bench bench;
  const CommandWord shape = encode(device::LoadShape{2, 8, 0, 100});
  const CommandWord load = encode(device::Load{.address = kA, .type = LoadType::kBf16});
  CommandWord illegal = load;
  illegal.high |= std::uint64_t{1} << 63;
  REQUIRE(bench.run({shape, load, illegal}) == ProgramFault{FaultCode::kIllegalCommand, 2, 0});

  // The second row begins 100 bytes after the first, and the window ends in its 12th byte.
  const ProgramWindow narrow{kBase, kA + 112, true, false};
  bench.interpreter.set_windows({&narrow, 1});
  REQUIRE(bench.run({shape, load}) == ProgramFault{FaultCode::kReadWindow, 1, kA + 100});
  REQUIRE(bench.run({encode(device::StoreShape{1, 4, 0}), encode(device::Store{.address = kA})}) ==
          ProgramFault{FaultCode::kWriteWindow, 1, kA});

  // 4 KiB boundaries cut bursts: only the part after one is refused.
  const ProgramWindow page{kBase, 0x3000, true, true};
  bench.interpreter.set_windows({&page, 1});
  REQUIRE(bench.run({shape, encode(device::Load{.address = 0x2ff8, .type = LoadType::kBf16})}) ==
          ProgramFault{FaultCode::kReadWindow, 1, 0x3000});

  // A memory error is reported with the address of its row.
  bench.memory.bad_address = kA + 100 + 15;
  const CommandWord longer = encode(device::LoadShape{2, 40, 0, 100});
  REQUIRE(bench.run({longer, load}) == ProgramFault{FaultCode::kReadError, 1, kA + 100});
  bench.memory.bad_address = kA + 3;
  REQUIRE(bench.run({shape, load}) == ProgramFault{FaultCode::kReadError, 1, kA});
  REQUIRE(bench.run({encode(device::StoreShape{1, 4, 0}), encode(device::Store{.address = kA})}) ==
          ProgramFault{FaultCode::kWriteError, 1, kA});
}

TEST_CASE("the interpreter refuses an array size that is not a power of two",
          "[program_interpreter]") {
  FlatMemory memory(kBase, 64);
  REQUIRE_THROWS_WITH(ProgramInterpreter(12, memory), Catch::Contains("no 12 x 12 array"));
}

TEST_CASE("the interpreter refuses a load or matmul of more words than it takes",
          "[program_interpreter]") {
  Bench bench;
  // One address for all rows: 65,535 rows of 4 words are within the limit, of 5 beyond it.
  const CommandWord load = encode(device::Load{.address = kA, .type = LoadType::kInt8});
  REQUIRE(bench.run({encode(device::LoadShape{65535, 4 * kN, 0, 0}), load}) == ProgramFault{});
  REQUIRE_THROWS_WITH(bench.run({encode(device::LoadShape{65535, 4 * kN + 1, 0, 0}), load}),
                      Catch::Contains("command 1 takes 327675 words of 4 elements") &&
                          Catch::Contains("split its shape's rows, columns or tiles"));

  const CommandWord matmul = encode(device::Matmul{});
  REQUIRE(bench.run({encode(device::MatmulShape{4096, 0, 0, 64, kN}), matmul}) == ProgramFault{});
  REQUIRE_THROWS_AS(bench.run({encode(device::MatmulShape{4096, 0, 0, 65, kN}), matmul}),
                    std::length_error);
  REQUIRE_THROWS_AS(bench.run({encode(device::MatmulShape{65535, 0, 0, 65535, kN}), matmul}),
                    std::length_error);
}

}  // namespace systole
