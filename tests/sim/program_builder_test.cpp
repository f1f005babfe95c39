// The builder's programs, run in many orders that their tokens allow, against the oracle.
#include "host/compiler/schedule/program_builder.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/compiler/schedule/patches.h"
#include "host/device/element_size.h"
#include "tests/sim/product_oracle.h"
#include "tests/sim/program_scheduler.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using device::StoreFormat;
using tests::FlatMemory;
using tests::ProgramScheduler;
using tests::Random;
using Pace = ProgramScheduler::Pace;

constexpr std::uint64_t kSeed = 23;
constexpr std::uint64_t kBase = 0x1000;
constexpr std::size_t kSize = 1 << 22;

std::string text(const Product& p) {
  return fmt::format("{} x {} x {} {}{}{}{}{}{}{}{} format {}", p.rows, p.depth, p.cols,
                     to_string(p.type), p.transpose_a ? " A^T" : "", p.transpose_b ? " B^T" : "",
                     p.accumulate ? " +=" : "", p.bias != 0 ? " bias" : "",
                     p.mask != 0 ? " mask" : "", p.relu ? " relu" : "",
                     p.column_sums != 0 ? " column sums" : "", static_cast<int>(p.format));
}

/// Allocates addresses, aligned only to the element.
struct Addresses {
  std::uint64_t next = kBase;
  std::uint64_t take(std::int64_t bytes, std::uint64_t element, Random& random) {
    next = (next + element - 1) / element * element + element * random.below(9);
    const std::uint64_t address = next;
    next += static_cast<std::uint64_t>(bytes);
    return address;
  }
};

Product random_product(Random& random, Addresses& addresses, int most) {
  Product p;
  const auto size = [&] {
    return random.below(4) == 0 ? random.between(1, 4) : random.between(1, most);
  };
  p.rows = size();
  p.depth = size();
  p.cols = size();
  p.type = random.below(3) == 0 ? DataType::kInt8 : DataType::kBf16;
  p.transpose_a = random.below(2) != 0;
  p.transpose_b = random.below(2) != 0;
  const bool is_int8 = p.type == DataType::kInt8;
  const std::uint64_t element = is_int8 ? 1 : 2;
  p.a = addresses.take(p.rows * p.depth * operand_size_bytes(p.type), element, random);
  p.b = addresses.take(p.depth * p.cols * operand_size_bytes(p.type), element, random);
  switch (random.below(4)) {
    case 0:
      p.bias = addresses.take(p.cols * 4, 4, random);
      break;
    case 1:
      p.accumulate = true;
      break;
    case 2:
      p.column_sums = addresses.take(p.cols * 4, 4, random);
      break;
    default:
      break;
  }
  p.relu = random.below(2) != 0;
  if (random.below(3) == 0) {
    p.mask_type = random.below(2) == 0 ? DataType::kInt8 : DataType::kBf16;
    p.mask = addresses.take(p.rows * p.cols * 2, 2, random);
  }
  if (!p.accumulate && random.below(2) == 0) {
    p.format =
        is_int8 ? random.below(2) == 0 ? StoreFormat::kInt8FromInt32 : StoreFormat::kFp32FromInt32
        : random.below(3) != 0 ? StoreFormat::kBf16
                               : StoreFormat::kInt8FromFp32;
    p.scale = is_int8 ? 3 : 0x3f80;
    p.shift = is_int8 ? 7 : 0;
  }
  const auto stored = static_cast<std::uint64_t>(stored_bytes(p.format));
  p.c = addresses.take(p.rows * p.cols * static_cast<std::int64_t>(stored), stored, random);
  return p;
}

FlatMemory random_memory(Random& random) {
  FlatMemory memory(kBase, kSize);
  std::vector<std::uint16_t> bits(kSize / 2);
  for (std::uint16_t& value : bits) {  // bf16 of a few binades; any int8
    value = static_cast<std::uint16_t>(random.below(2) << 15 | (121 + random.below(8)) << 7 |
                                       random.below(128));
  }
  memory.put(kBase, bits);
  return memory;
}

BlockPlan random_plan(Random& random, const Product& product, const DeviceSizes& sizes) {
  const std::vector<BlockPlan> plans = candidate_plans(product, sizes);
  REQUIRE(!plans.empty());
  BlockPlan plan = plans[random.below(static_cast<std::uint32_t>(plans.size()))];
  plan.ramps_up = random.below(2) != 0;
  plan.tapers = random.below(2) != 0;
  plan.by_columns = random.below(2) != 0;
  return plan;
}

/// What of the depth is cut into tiles by itself where patches go by lines: a line of the kernel,
/// or the pixels of an image; else 0.
std::int64_t stretch_of(const Product& product, const DeviceSizes& sizes) {
  if (product.patches == device::CommandWord{} || !Patches(product, sizes).by_lines()) return 0;
  const device::LoadPatches shape = device::decode_load_patches(product.patches);
  if (product.transpose_a) return std::int64_t{shape.out_height} * shape.out_width;
  return shape.kernel_width * shape.pixel_bytes / operand_size_bytes(product.type);
}

void check(std::span<const Product> products, const DeviceSizes& sizes,
           std::span<const device::CommandWord> program, const FlatMemory& before, Pace pace,
           std::uint64_t seed) {
  FlatMemory expected = before;
  for (const Product& product : products) {
    tests::compute_product(product, sizes.array_size, expected, stretch_of(product, sizes));
  }
  FlatMemory memory = before;
  ProgramInterpreter interpreter(sizes.array_size, memory);
  const ProgramWindow all{kBase, kBase + kSize, true, true};
  interpreter.set_windows({&all, 1});
  REQUIRE(ProgramScheduler(interpreter, pace, seed).run(program) == "");
  const bool same = memory.get<std::byte>(kBase, kSize) == expected.get<std::byte>(kBase, kSize);
  REQUIRE(same);
}

/// A convolution of small images, or the gradient of its kernel: the latter with transpose_a.
Product random_patches(Random& random, Addresses& addresses) {
  Product p{.type = random.below(4) == 0 ? DataType::kInt8 : DataType::kBf16,
            .transpose_a = random.below(2) != 0,
            .transpose_b = random.below(2) != 0};
  const std::int64_t bytes = operand_size_bytes(p.type);
  const auto size = [&](std::int64_t least, int most) {
    return least + static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(most)));
  };
  const std::int64_t channels = size(1, 12), images = size(1, 4);
  const std::int64_t kernel_height = size(1, 4), kernel_width = size(1, 4);
  const std::int64_t above = size(0, static_cast<int>(kernel_height));
  const std::int64_t left = size(0, static_cast<int>(kernel_width));
  const std::int64_t stride = random.below(5) == 0 ? 2 : 1;
  const std::int64_t height = size(kernel_height, 9), width = size(kernel_width, 9);
  const std::int64_t below = size(0, static_cast<int>(kernel_height));
  const device::LoadPatches shape{
      .height = static_cast<std::uint16_t>(height),
      .width = static_cast<std::uint16_t>(width),
      .pixel_bytes = static_cast<std::uint16_t>(channels * bytes),
      .out_height =
          static_cast<std::uint16_t>((height + above + below - kernel_height) / stride + 1),
      .out_width = static_cast<std::uint16_t>((width + left - kernel_width) / stride + 1),
      .kernel_height = static_cast<std::uint8_t>(kernel_height),
      .kernel_width = static_cast<std::uint8_t>(kernel_width),
      .stride = static_cast<std::uint8_t>(stride),
      .pad_top = static_cast<std::uint8_t>(above),
      .pad_left = static_cast<std::uint8_t>(left)};
  p.patches = device::encode(shape);
  const std::int64_t pixels = images * shape.out_height * shape.out_width;
  const std::int64_t elements = kernel_height * kernel_width * channels;
  p.rows = p.transpose_a ? elements : pixels;
  p.depth = p.transpose_a ? pixels : elements;
  p.cols = size(1, 40);
  const auto element = static_cast<std::uint64_t>(bytes);
  p.a = addresses.take(images * height * width * channels * bytes, element, random);
  p.b = addresses.take(p.depth * p.cols * bytes, element, random);
  const auto choice = random.below(4);
  if (choice == 0) p.bias = addresses.take(p.cols * 4, 4, random);
  if (choice == 1) p.accumulate = true;
  if (choice >= 2) p.column_sums = addresses.take(p.cols * 4, 4, random);
  if (random.below(3) == 0) p.mask = addresses.take(p.rows * p.cols * 2, 2, random);
  p.c = addresses.take(p.rows * p.cols * 4, 4, random);
  return p;
}

DeviceSizes sizes_of(int array_size) {
  DeviceSizes sizes;
  sizes.array_size = array_size;
  return sizes;
}

}  // namespace

TEST_CASE("a program computes its product with any cut and any pace of the engines",
          "[program_builder]") {
  Random random(kSeed);
  for (int i = 0; i < 120; ++i) {
    const DeviceSizes sizes = sizes_of(4 << random.below(3));
    Addresses addresses;
    const Product product =
        random_product(random, addresses, i % 4 == 0 ? 150 : 5 * sizes.array_size);
    const BlockPlan plan = random_plan(random, product, sizes);
    const auto pace = static_cast<Pace>(random.below(4));
    INFO(i << ": " << text(product) << ", array " << sizes.array_size << ", blocks of "
           << plan.block_rows << " rows by " << plan.group_tiles << " tiles, chunks of "
           << plan.chunk_tiles << ", pace " << static_cast<int>(pace));
    check({&product, 1}, sizes, build_program({&product, 1}, sizes, {&plan, 1}),
          random_memory(random), pace, kSeed);
  }
}

TEST_CASE("a program computes a product of patches with any cut, whole or by lines",
          "[program_builder]") {
  Random random(kSeed);
  int by_lines = 0, at_several_images = 0;
  for (int i = 0; i < 400; ++i) {
    DeviceSizes sizes = sizes_of(4 << random.below(3));
    if (i % 3 == 0) sizes.row_words = 1024, sizes.weight_words = 512, sizes.bank_rows = 256;
    if (i % 5 == 0) sizes.bus_bytes = 2 * sizes.array_size;
    Addresses addresses;
    const Product product = random_patches(random, addresses);
    const BlockPlan plan = random_plan(random, product, sizes);
    const Patches patches(product, sizes);
    by_lines += patches.by_lines() ? 1 : 0;
    const bool spans_images = !product.transpose_a && plan.block_rows > patches.positions();
    at_several_images += patches.by_lines() && spans_images && patches.images() > 1 ? 1 : 0;
    const auto pace = static_cast<Pace>(random.below(4));
    INFO(i << ": " << text(product) << ", " << "patches " << std::hex << product.patches.low << " "
           << product.patches.high << std::dec << ", array " << sizes.array_size << ", blocks of "
           << plan.block_rows << " rows by " << plan.group_tiles << " tiles, chunks of "
           << plan.chunk_tiles << ", pace " << static_cast<int>(pace)
           << (patches.by_lines() ? ", by lines" : ""));
    check({&product, 1}, sizes, build_program({&product, 1}, sizes, {&plan, 1}),
          random_memory(random), pace, kSeed);
  }
  CHECK(by_lines > 100);
  CHECK(at_several_images > 20);
}

TEST_CASE("products in a program see the results of earlier ones", "[program_builder]") {
  Random random(kSeed + 1);
  for (int i = 0; i < 60; ++i) {
    const DeviceSizes sizes = sizes_of(4 << random.below(2));
    Addresses addresses;
    std::vector<Product> products;
    std::string all;
    for (int p = 0; p < 6; ++p) {
      Product product = random_product(random, addresses, 40);
      const Product* before = products.empty() ? nullptr : &products.back();
      // The result as A, as B, as a mask, or overwritten; or A once more.
      switch (before == nullptr ? 9 : random.below(6)) {
        case 0:
        case 1:
          if (before->format != StoreFormat::kBf16) break;
          product.type = DataType::kBf16;
          if (product.format != StoreFormat::kBf16) product.format = StoreFormat::kWord32;
          (random.below(2) == 0 ? product.a : product.b) = before->c;
          product.rows = std::min(product.rows, before->rows);
          product.depth = std::min(product.depth, before->cols);
          product.cols = std::min(product.cols, before->rows);
          break;
        case 2:
          if (before->format != StoreFormat::kBf16) break;
          product.mask = before->c;
          product.mask_type = DataType::kBf16;
          product.rows = before->rows;
          product.cols = before->cols;
          product.depth = std::min<std::int64_t>(product.depth, 20);
          product.a = addresses.take(product.rows * product.depth * 2, 2, random);
          product.b = addresses.take(product.depth * product.cols * 2, 2, random);
          product.c = addresses.take(product.rows * product.cols * 4, 4, random);
          if (product.column_sums != 0)
            product.column_sums = addresses.take(product.cols * 4, 4, random);
          if (product.bias != 0) product.bias = addresses.take(product.cols * 4, 4, random);
          break;
        case 3:
          product = *before;
          break;
        case 4:
          product.a = before->a;
          product.rows = std::min(product.rows, before->rows);
          product.depth = std::min(product.depth, before->depth);
          break;
        default:
          break;
      }
      products.push_back(product);
      all += text(product) + "; ";
    }
    const auto pace = static_cast<Pace>(random.below(4));
    INFO(i << ": " << all << "array " << sizes.array_size << ", pace " << static_cast<int>(pace));
    check(products, sizes, build_program(products, sizes), random_memory(random), pace, kSeed);
  }
}

TEST_CASE("products larger than every buffer wait before overwriting", "[program_builder]") {
  Random random(kSeed + 2);
  const DeviceSizes sizes = sizes_of(4);
  struct Size {
    std::int64_t depth, cols;
  };
  // 22,800 words of A and 7,600 of B; of A alone; 7,500 of masks alone.
  const std::vector<std::pair<Size, bool>> cases = {
      {{302, 99}, false}, {{302, 99}, true}, {{302, 9}, false}, {{302, 9}, true}, {{4, 99}, false}};
  for (const Pace pace : {Pace::kLoadsFirst, Pace::kProductsFirst, Pace::kStoresFirst}) {
    for (const auto& [size, transposed] : cases) {
      Addresses addresses;
      Product product{.rows = 300,
                      .mask_type = DataType::kInt8,
                      .transpose_a = transposed,
                      .transpose_b = transposed};
      product.depth = size.depth;
      product.cols = size.cols;
      product.a = addresses.take(product.rows * product.depth * 2, 2, random);
      product.b = addresses.take(product.depth * product.cols * 2, 2, random);
      product.c = addresses.take(product.rows * product.cols * 4, 4, random);
      product.mask = addresses.take(product.rows * product.cols, 1, random);
      INFO("transposed " << transposed << ", pace " << static_cast<int>(pace));
      check({&product, 1}, sizes, build_program({&product, 1}, sizes), random_memory(random), pace,
            kSeed);
    }
  }
}

TEST_CASE("a program computes its products in buffers of any size", "[program_builder]") {
  Random random(kSeed + 5);
  const auto shrunk = [&](std::int64_t least, std::int64_t most) {
    return std::min(most, least << random.below(4));
  };
  for (int i = 0; i < 80; ++i) {
    const int n = 4 << random.below(3);
    const BufferSizes buffers{.bank_rows = shrunk(n, 512),
                              .row_words = shrunk(4 * n, 8192),
                              .weight_words = shrunk(4 * n, 4096),
                              .mask_words = shrunk(4 * n, 2048)};
    const DeviceSizes sizes{buffers, n};
    Addresses addresses;
    std::vector<Product> products;
    std::string all;
    for (int p = 0; p < 3; ++p) {
      products.push_back(random_product(random, addresses, 60));
      all += text(products.back()) + "; ";
    }
    const auto pace = static_cast<Pace>(random.below(4));
    INFO(i << ": " << all << "array " << n << ", bank " << sizes.bank_rows << ", words "
           << sizes.row_words << ", " << sizes.weight_words << ", " << sizes.mask_words << ", pace "
           << static_cast<int>(pace));
    check(products, sizes, build_program(products, sizes), random_memory(random), pace, kSeed);
  }
}

TEST_CASE("a row times a matrix wider than the weights buffer fits in it", "[program_builder]") {
  Random random(kSeed + 6);
  const DeviceSizes sizes = sizes_of(16);
  Addresses addresses;
  Product product{.rows = 1, .depth = 16, .cols = 9000};
  product.a = addresses.take(product.depth * 2, 2, random);
  product.b = addresses.take(product.depth * product.cols * 2, 2, random);
  product.c = addresses.take(product.cols * 4, 4, random);
  for (const Pace pace : {Pace::kLoadsFirst, Pace::kProductsFirst, Pace::kStoresFirst}) {
    INFO("pace " << static_cast<int>(pace));
    check({&product, 1}, sizes, build_program({&product, 1}, sizes), random_memory(random), pace,
          kSeed);
  }
}

TEST_CASE("programs of many small tiles never overflow the device's token counters",
          "[program_builder]") {
  Random random(kSeed + 4);
  const DeviceSizes sizes = sizes_of(4);
  std::vector<Product> products;
  for (std::uint64_t base = kBase; products.size() < 16; base += 0x8000) {
    products.push_back(
        {.a = base, .b = base + 0x2000, .c = base + 0x4000, .rows = 64, .depth = 64, .cols = 64});
  }
  const auto program = build_program(products, sizes);
  for (const Pace pace : {Pace::kLoadsFirst, Pace::kProductsFirst, Pace::kStoresFirst}) {
    INFO("pace " << static_cast<int>(pace));
    check(products, sizes, program, random_memory(random), pace, kSeed);
  }
}

TEST_CASE("an overwritten operand is loaded again", "[program_builder]") {
  Random random(kSeed + 3);
  Addresses addresses;
  const auto matrix = [&] { return addresses.take(20 * 20 * 2, 2, random); };
  const std::uint64_t x = matrix(), y = matrix(), z = matrix(), w = matrix();
  const auto product = [](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return Product{
        .a = a, .b = b, .c = c, .rows = 20, .depth = 20, .cols = 20, .format = StoreFormat::kBf16};
  };
  const std::vector<Product> products = {product(x, y, z), product(y, z, x), product(x, y, z),
                                         product(z, x, w)};
  for (const Pace pace : {Pace::kLoadsFirst, Pace::kProductsFirst, Pace::kStoresFirst}) {
    check(products, sizes_of(4), build_program(products, sizes_of(4)), random_memory(random), pace,
          kSeed);
  }
}

TEST_CASE("a program is a pure function of its products", "[program_builder]") {
  Random random(kSeed);
  Addresses addresses;
  const std::vector<Product> products = {random_product(random, addresses, 99),
                                         random_product(random, addresses, 99)};
  REQUIRE(build_program(products) == build_program(products));
}

TEST_CASE("the builder refuses products that no program can compute", "[program_builder]") {
  const Product good{.a = 0x1000, .b = 0x2000, .c = 0x3000, .rows = 4, .depth = 4, .cols = 4};
  const auto refusal = [&](auto change) {
    Product product = good;
    change(product);
    try {
      check_product(product);
    } catch (const std::invalid_argument& refused) {
      return std::string(refused.what());
    }
    return std::string("accepted");
  };
  using Catch::Contains;
  REQUIRE(refusal([](Product&) {}) == "accepted");
  REQUIRE_THAT(refusal([](Product& p) { p.depth = 0; }), Contains("must each be 1 or more"));
  REQUIRE_THAT(refusal([](Product& p) { p.type = DataType::kFp32; }),
               Contains("bf16 and int8 only"));
  REQUIRE_THAT(refusal([](Product& p) {
                 p.bias = 0x4000;
                 p.accumulate = true;
               }),
               Contains("not from both"));
  REQUIRE_THAT(refusal([](Product& p) {
                 p.bias = 0x4000;
                 p.column_sums = 0x5000;
               }),
               Contains("column sums start from zero"));
  REQUIRE_THAT(refusal([](Product& p) {
                 p.accumulate = true;
                 p.format = StoreFormat::kBf16;
               }),
               Contains("needs C to hold sums"));
  REQUIRE_THAT(refusal([](Product& p) { p.a = (std::uint64_t{1} << 40) - 8; }),
               Contains("40 bits"));
}

}  // namespace systole
