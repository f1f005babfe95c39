// Compares products computed whole with their programs, command by command, and with the oracle.
#include "sim/model/program_values.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/compiler/schedule/patches.h"
#include "host/compiler/schedule/program_builder.h"
#include "host/device/device.h"
#include "host/device/element_size.h"
#include "tests/sim/product_oracle.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using device::StoreFormat;
using tests::FlatMemory;
using tests::Random;

constexpr std::uint64_t kSeed = 41;
constexpr std::uint64_t kBase = 0x1000;
constexpr std::size_t kSize = 1 << 20;

/// A product of at most `most` a side, its matrices consecutive from `next` on.
Product random_product(Random& random, std::uint64_t& next, int most) {
  const auto take = [&](std::int64_t bytes) {
    const std::uint64_t address = next;
    next += (static_cast<std::uint64_t>(bytes) + 3) / 4 * 4;
    return address;
  };
  Product p;
  p.rows = random.between(1, most);
  p.depth = random.between(1, most);
  p.cols = random.between(1, most);
  p.type = random.below(2) == 0 ? DataType::kInt8 : DataType::kBf16;
  p.transpose_a = random.below(2) != 0;
  p.transpose_b = random.below(2) != 0;
  p.relu = random.below(2) != 0;
  p.a = take(p.rows * p.depth * 2);
  p.b = take(p.depth * p.cols * 2);
  if (random.below(2) == 0) {
    p.mask = take(p.rows * p.cols * 2);
    p.mask_type = random.below(2) == 0 ? DataType::kInt8 : DataType::kBf16;
  }
  const auto start = random.below(4);
  if (start == 0) p.bias = take(p.cols * 4);
  if (start == 1) p.column_sums = take(p.cols * 4);
  if (start == 2) {
    p.accumulate = true;
  } else {
    const bool is_int8 = p.type == DataType::kInt8;
    const StoreFormat of_int8[] = {StoreFormat::kWord32, StoreFormat::kInt8FromInt32,
                                   StoreFormat::kFp32FromInt32};
    const StoreFormat of_bf16[] = {StoreFormat::kWord32, StoreFormat::kBf16,
                                   StoreFormat::kInt8FromFp32};
    p.format = (is_int8 ? of_int8 : of_bf16)[random.below(3)];
    p.scale = is_int8 ? 3 : 0x3f80;
    p.shift = is_int8 ? 7 : 0;
  }
  p.c = take(p.rows * p.cols * 4);
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

std::vector<std::byte> all_of(const FlatMemory& memory) {
  return memory.get<std::byte>(kBase, kSize);
}

std::vector<ProgramUnit> units_of(const std::vector<Product>& products) {
  std::vector<ProgramUnit> units;
  for (const Product& product : products) units.emplace_back(ProductUnit{product});
  return units;
}

PlacedProgram placed(const std::vector<device::CommandWord>& commands,
                     const std::vector<ProgramUnit>& units) {
  return {.commands = commands, .base = kBase, .end = kBase + kSize, .units = units};
}

}  // namespace

TEST_CASE("a program's first run and its later ones give the oracle's bits", "[program_values]") {
  Random random(kSeed);
  for (int i = 0; i < 60; ++i) {
    const int array_size = 4 << random.below(4);
    std::uint64_t next = kBase;
    std::vector<Product> products;
    for (int p = 0; p < 3; ++p) products.push_back(random_product(random, next, 80));
    const auto commands = build_program(products, {.array_size = array_size});
    FlatMemory memory = random_memory(random);
    FlatMemory expected = memory;
    ProgramValues values(array_size, 1 + static_cast<int>(random.below(3)), memory);
    const std::uint64_t number = i % 2 == 0 ? 0 : new_program_number();
    for (int run = 0; run < 4; ++run) {
      INFO(i << ", array " << array_size << ", run " << run);
      for (const Product& p : products) tests::compute_product(p, array_size, expected);
      const std::vector<ProgramUnit> units = units_of(products);
      PlacedProgram program = placed(commands, units);
      program.number = number;
      REQUIRE(values.run(program).code == device::FaultCode::kNone);
      const bool same = all_of(memory) == all_of(expected);
      REQUIRE(same);
    }
  }
}

TEST_CASE("products over patches of images, and biases in terms, are computed whole",
          "[program_values]") {
  Random random(kSeed + 1);
  int by_lines = 0, biased = 0;
  for (int i = 0; i < 60; ++i) {
    const int array_size = 4 << random.below(3);
    const auto small = [&](int least, int most) {
      return static_cast<std::uint8_t>(random.between(least, most));
    };
    device::LoadPatches images{.height = small(3, 9),
                               .width = small(3, 9),
                               .kernel_height = small(1, 3),
                               .kernel_width = small(1, 3),
                               .stride = small(1, 2),
                               .pad_top = small(0, 2),
                               .pad_left = small(0, 2)};
    images.out_height = static_cast<std::uint16_t>(
        (images.height + images.pad_top - images.kernel_height) / images.stride + 1);
    images.out_width = static_cast<std::uint16_t>(
        (images.width + images.pad_left - images.kernel_width) / images.stride + 1);
    const std::int64_t channels = random.between(1, 9), batch = random.between(1, 3);
    Product p{.type = random.below(3) == 0 ? DataType::kInt8 : DataType::kBf16};
    images.pixel_bytes = static_cast<std::uint16_t>(channels * operand_size_bytes(p.type));
    p.patches = device::encode(images);
    p.cols = random.between(1, 40);
    p.transpose_a = random.below(2) != 0;
    p.transpose_b = !p.transpose_a && random.below(2) != 0;
    const std::int64_t patches = batch * images.out_height * images.out_width;
    const std::int64_t elements = images.kernel_height * images.kernel_width * channels;
    p.rows = p.transpose_a ? elements : patches;
    p.depth = p.transpose_a ? patches : elements;
    std::uint64_t next = kBase;
    const auto take = [&](std::int64_t bytes) {
      return std::exchange(next, next + static_cast<std::uint64_t>(bytes + 63) / 64 * 64);
    };
    const DeviceSizes sizes{.array_size = array_size};
    p.a = take(batch * images.height * images.width * images.pixel_bytes);
    p.b = take(p.depth * p.cols * 2);
    p.c = take(p.rows * p.cols * 4);
    FlatMemory memory = random_memory(random);
    if (p.transpose_a && random.below(2) == 0) p.column_sums = take(p.cols * 4);
    if (p.type == DataType::kBf16 && !p.transpose_a && random.below(2) == 0) {
      p.bias = take(p.cols * 6);
      p.ones = take(sizes.bank_rows * 6);
      memory.put(p.ones,
                 std::vector<std::uint16_t>(static_cast<std::size_t>(sizes.bank_rows * 3), 0x3f80));
      ++biased;
    }
    if (p.type == DataType::kBf16 && random.below(2) == 0) p.format = StoreFormat::kBf16;
    p.relu = random.below(2) == 0;
    const Patches cut(p, sizes);
    by_lines += cut.by_lines() ? 1 : 0;
    const std::vector<ProgramUnit> units{ProductUnit{p, cut.stretch()}};
    const auto commands = build_program({&p, 1}, sizes);
    ProgramValues values(array_size, 1 + static_cast<int>(random.below(2)), memory);
    INFO("product " << i << ", array " << array_size << ", by lines " << cut.by_lines());
    // Its first run compares it with its commands.
    REQUIRE(values.run(placed(commands, units)).code == device::FaultCode::kNone);
    const auto first = all_of(memory);
    REQUIRE(values.run(placed(commands, units)).code == device::FaultCode::kNone);
    const bool same = all_of(memory) == first;
    REQUIRE(same);
  }
  CHECK(by_lines > 5);
  CHECK(biased > 5);
}

TEST_CASE("a first run of more than two seconds says so, and no later one does",
          "[program_values]") {
  Random random(kSeed);
  std::uint64_t next = kBase;
  const std::vector<Product> products{random_product(random, next, 40)};
  const auto commands = build_program(products, {});
  FlatMemory memory = random_memory(random);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  double now = 0;
  FirstRunNotice notice("checking", file.get(), false, [&] { return ++now; });  // slow commands
  ProgramValues values(16, 1, memory, DiskCache({}), 0, notice);
  const auto said = [&] { return std::ftell(file.get()); };
  REQUIRE(values.run(placed(commands, units_of(products))).code == device::FaultCode::kNone);
  const long first = said();
  REQUIRE(values.run(placed(commands, units_of(products))).code == device::FaultCode::kNone);
  CHECK(said() == first);
  std::rewind(file.get());
  std::string text(static_cast<std::size_t>(first), '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  CHECK_THAT(text,
             Catch::StartsWith("systole: checking for 2 s, once for each program: program 1, "));
  CHECK_THAT(text, Catch::Contains(" of " + std::to_string(commands.size()) + " commands\n"));
}

TEST_CASE("a program that does not compute its units is refused on its first run",
          "[program_values]") {
  Random random(kSeed);
  std::uint64_t next = kBase;
  Product product = random_product(random, next, 40);
  product.format = StoreFormat::kWord32;
  product.relu = false;
  product.mask = 0;
  std::vector<Product> products{product};
  const auto commands = build_program(products, {});
  products[0].transpose_b = !product.transpose_b;
  FlatMemory memory = random_memory(random);
  ProgramValues values(16, 1, memory);
  using Catch::Contains;
  REQUIRE_THROWS_WITH(values.run(placed(commands, units_of(products))),
                      Contains("does not compute its units"));
}

TEST_CASE("a program whose memory fails faults as on the device", "[program_values]") {
  Random random(kSeed);
  std::uint64_t next = kBase;
  const std::vector<Product> products{random_product(random, next, 40)};
  const auto commands = build_program(products, {});
  FlatMemory memory = random_memory(random);
  ProgramValues values(16, 1, memory);
  REQUIRE(values.run(placed(commands, units_of(products))).code == device::FaultCode::kNone);
  memory.bad_address = products[0].b;
  REQUIRE(values.run(placed(commands, units_of(products))).code == device::FaultCode::kReadError);
}

TEST_CASE("products with stochastic rounding are computed command by command", "[program_values]") {
  Random random(kSeed + 2);
  std::uint64_t next = kBase;
  Product product = random_product(random, next, 40);
  product.type = DataType::kBf16;
  product.accumulate = false;
  product.column_sums = 0;
  product.format = StoreFormat::kBf16Stochastic;
  product.seed = 77;
  const std::vector<Product> products{product};
  const auto commands = build_program(products, {});
  FlatMemory memory = random_memory(random);
  FlatMemory expected = memory;
  ProgramInterpreter interpreter(16, expected);
  const ProgramWindow window{kBase, kBase + kSize, true, true};
  interpreter.set_windows({&window, 1});
  REQUIRE(interpreter.run(commands).code == device::FaultCode::kNone);
  ProgramValues values(16, 1, memory);
  REQUIRE(values.run(placed(commands, units_of(products))).code == device::FaultCode::kNone);
  const bool same = all_of(memory) == all_of(expected);
  REQUIRE(same);
}

}  // namespace systole
