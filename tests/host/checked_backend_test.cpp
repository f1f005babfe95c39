// The check of one device by another: coverage, differences and refusals.
#include "host/device/checked_backend.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/program_device.h"
#include "host/device/queue.h"
#include "host/device/random_matrix.h"
#include "host/device/registry.h"

namespace systole {
namespace {

constexpr int kSize = 4;
constexpr std::uint64_t kSeed = 5;

const BackendEntry* find_entry(std::string_view name) {
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name == name) return &entry;
  }
  return nullptr;
}

std::shared_ptr<Backend> make_model() { return find_entry("model")->make({.array_size = kSize}); }

/// A backend that behaves like another one, except for injected errors.
class SpoiledBackend final : public Backend {
 public:
  explicit SpoiledBackend(std::shared_ptr<Backend> good) : good_(std::move(good)) {}

  std::uint64_t spoiled_address = 0;  ///< a byte that changes after every program
  std::uint64_t more_clocks = 0;      ///< added to the clocks of every program

  const DeviceInfo& info() const override { return good_->info(); }
  bool supports(DataType type) const override { return good_->supports(type); }
  Memory& memory() override { return good_->memory(); }
  void execute(std::span<const Product> products) override {
    good_->execute(products);
    spoil();
  }
  std::optional<DeviceSizes> sizes() const override { return good_->sizes(); }
  void run(const PlacedProgram& program) override {
    good_->run(program);
    spoil();
  }
  Counters counters() const override {
    Counters counters = good_->counters();
    counters.counts[static_cast<std::size_t>(device::Count::kCycles)] += more_clocks * programs_;
    return counters;
  }

 private:
  void spoil() {
    ++programs_;
    if (spoiled_address == 0) return;
    std::byte byte{};
    memory().read(spoiled_address, {&byte, 1});
    byte ^= std::byte{1};
    memory().write(spoiled_address, {&byte, 1});
  }

  std::shared_ptr<Backend> good_;
  std::uint64_t programs_ = 0;
};

/// A checked model and the buffers of its products.
struct Bench {
  std::shared_ptr<SpoiledBackend> model = std::make_shared<SpoiledBackend>(make_model());
  std::shared_ptr<SpoiledBackend> twin = std::make_shared<SpoiledBackend>(make_model());
  std::shared_ptr<CheckedBackend> checked;

  explicit Bench(double per_mille, std::uint64_t seed = kSeed)
      : checked(std::make_shared<CheckedBackend>(
            model, make_model(), make_model(), twin,
            CheckedBackend::Options{.per_mille = per_mille, .seed = seed})) {}

  std::uint64_t place(const std::vector<std::byte>& bytes) {
    const std::uint64_t address =
        checked->memory().allocate(static_cast<std::int64_t>(bytes.size()));
    checked->memory().write(address, bytes);
    return address;
  }
  std::uint64_t operands(std::uint64_t stream, std::int64_t rows, std::int64_t cols,
                         bool transposed) {
    return place(RandomMatrix{kSeed, stream, rows, cols, transposed}.operands(DataType::kBf16));
  }
  std::uint64_t sums(std::uint64_t stream, std::int64_t rows, std::int64_t cols) {
    return place(RandomMatrix{kSeed, stream, rows, cols, false}.sums(DataType::kBf16));
  }
  Product product(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                  bool transpose_a = false, bool transpose_b = false) {
    return {.a = operands(0, rows, depth, transpose_a),
            .b = operands(1, depth, cols, transpose_b),
            .c = sums(2, rows, cols),
            .rows = rows,
            .depth = depth,
            .cols = cols,
            .transpose_a = transpose_a,
            .transpose_b = transpose_b};
  }
  void run(const std::vector<Product>& products) { checked->execute(products); }
  CheckCoverage coverage() const { return *checked->check_coverage(); }
};

/// A program of two products, the second of which adds to the first one's C, and its memory.
struct OwnProgram {
  static constexpr std::int64_t kRows = 9, kDepth = 11, kCols = 6;
  explicit OwnProgram(Bench& bench) {
    const std::uint64_t block = bench.checked->memory().allocate(kBytes);
    const auto place = [&](std::uint64_t offset, const std::vector<std::byte>& bytes) {
      bench.checked->memory().write(block + offset, bytes);
    };
    place(0, RandomMatrix{kSeed, 0, kRows, kDepth, false}.operands(DataType::kBf16));
    place(512, RandomMatrix{kSeed, 1, kDepth, kCols, false}.operands(DataType::kBf16));
    Product product{.a = block,
                    .b = block + 512,
                    .c = block + 1024,
                    .rows = kRows,
                    .depth = kDepth,
                    .cols = kCols};
    std::vector<Product> products = {product, product};
    products[1].accumulate = true;
    commands = build_program(products, *bench.checked->sizes());
    const std::uint64_t ring =
        bench.checked->memory().allocate(static_cast<std::int64_t>(commands.size() * 16));
    bench.checked->memory().write(ring, std::as_bytes(std::span(commands)));
    placed = {.commands = commands,
              .ring = ring,
              .base = block,
              .end = block + kBytes,
              .multiplies = 2,
              .macs = products[0].macs() + products[1].macs()};
  }
  OwnProgram(const OwnProgram&) = delete;
  OwnProgram& operator=(const OwnProgram&) = delete;

  static constexpr std::int64_t kBytes = 2048;
  std::vector<device::CommandWord> commands;
  PlacedProgram placed;
};

/// The results of three products with every kind of epilogue on a device.
std::vector<std::byte> run_products(const Device& device) {
  Queue queue = device.make_queue();
  const auto place = [&](const std::vector<std::byte>& bytes) {
    Buffer buffer = device.allocate(static_cast<std::int64_t>(bytes.size()));
    queue.copy_to_device(bytes, buffer);
    queue.wait();
    return buffer;
  };
  const auto operands = [&](std::uint64_t stream, std::int64_t rows, std::int64_t cols) {
    return place(RandomMatrix{kSeed, stream, rows, cols, false}.operands(DataType::kBf16));
  };
  const auto sums = [&](std::uint64_t stream, std::int64_t rows, std::int64_t cols) {
    return place(RandomMatrix{kSeed, stream, rows, cols, false}.sums(DataType::kBf16));
  };
  constexpr std::int64_t kRows = 23, kDepth = 30, kCols = 18;
  const Buffer a = operands(0, kRows, kDepth), b = operands(1, kDepth, kCols);
  const Buffer biased = sums(2, kRows, kCols), masked = sums(3, kRows, kCols);
  const Buffer column_sums = sums(4, 1, kCols), added = sums(5, kRows, kCols);
  Matmul product{.a = a, .b = b, .c = biased, .rows = kRows, .depth = kDepth, .cols = kCols};
  queue.matmul(product, {.bias = sums(6, 1, kCols), .relu = true});
  product.c = masked;
  product.transpose_a = product.transpose_b = true;
  queue.matmul(product, {.mask = operands(7, kRows, kCols), .column_sums = column_sums});
  product.c = added;
  product.transpose_a = false;
  product.accumulate = true;
  queue.matmul(product);
  std::vector<std::byte> results;
  for (const Buffer& buffer : {biased, masked, column_sums, added}) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(buffer.size_bytes()));
    queue.copy_to_host(buffer, bytes);
    results.insert(results.end(), bytes.begin(), bytes.end());
  }
  return results;
}

}  // namespace

TEST_CASE("at 1000 per mille every tile of every kind of product is recomputed", "[check]") {
  Bench bench(1000);
  Product plain = bench.product(9, 11, 6, true, false);
  Product with_bias = bench.product(5, 4, 13, false, true);
  with_bias.bias = bench.sums(3, 1, 13);
  with_bias.relu = true;
  with_bias.format = device::StoreFormat::kBf16;
  Product masked = bench.product(7, 9, 10, true, true);
  masked.mask = bench.operands(4, 7, 10, false);
  masked.column_sums = bench.sums(5, 1, 10);
  Product added = bench.product(6, 5, 7);
  added.accumulate = true;
  Product int8 = bench.product(4, 6, 5);
  int8.type = DataType::kInt8;
  bench.run({plain, with_bias, int8});
  bench.run({masked, added});
  bench.run({plain});  // overwrites an earlier result in C

  const CheckCoverage coverage = bench.coverage();
  const std::uint64_t tiles = 6 + 8 + 2 + 6 + 4 + 6;
  CHECK(coverage.tiles == tiles);
  CHECK(coverage.checked == tiles);
  CHECK(coverage.unreachable == 0);
  CHECK(coverage.macs == 2 * 9 * 11 * 6 + 5 * 4 * 13 + 4 * 6 * 5 + 7 * 9 * 10 + 6 * 5 * 7);
  CHECK(coverage.checked_macs == coverage.macs);
  CHECK(coverage.cycles > 0);
}

TEST_CASE("a seeded sample of the tiles is recomputed", "[check]") {
  const auto checked_tiles = [](std::uint64_t seed) {
    Bench bench(100, seed);
    const Product product = bench.product(40, 4, 40);
    for (int i = 0; i < 10; ++i) bench.run({product});
    CHECK(bench.coverage().tiles == 1000);
    return bench.coverage().checked;
  };
  const std::uint64_t checked = checked_tiles(1);
  CHECK(checked > 50);  // 100 are expected, with a deviation of 9.5
  CHECK(checked < 150);
  CHECK(checked_tiles(1) == checked);
}

TEST_CASE("one wrong bit is caught, and the message says where", "[check]") {
  using Catch::Contains;
  const auto refusal = [](auto&& spoil) {
    Bench bench(1000);
    Product first = bench.product(3, 3, 3);
    Product second = bench.product(9, 11, 6);
    second.column_sums = bench.sums(5, 1, 6);
    spoil(bench, second);
    try {
      bench.run({first, second});
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string("no difference");
  };
  CHECK(refusal([](Bench&, const Product&) {}) == "no difference");
  CHECK_THAT(refusal([](Bench& bench, const Product& product) {
               bench.model->spoiled_address = product.c + 4 * (5 * 6 + 4);
             }),
             Contains("9 x 11 times 11 x 6, bf16, rows 4 to 7 and columns 4 to 5 of C") &&
                 Contains("element (5, 4) of C is 0x"));
  CHECK_THAT(refusal([](Bench& bench, const Product& product) {
               bench.model->spoiled_address = product.column_sums + 4 * 5;
             }),
             Contains("element (0, 5) of the column sums is 0x"));
}

TEST_CASE("one clock too many is caught", "[check]") {
  Bench bench(1000);
  bench.twin->more_clocks = 1;
  const Product product = bench.product(3, 3, 3);
  CHECK_THROWS_WITH(bench.run({product}),
                    Catch::Contains("its program takes") && Catch::Contains("clocks on model"));
}

TEST_CASE("the first program of a caller's own is run again, and a seeded sample of the others",
          "[check]") {
  const auto checked_programs = [](std::uint64_t seed) {
    Bench bench(100, seed);
    const OwnProgram program(bench);
    bench.checked->run(program.placed);
    CHECK(bench.coverage().programs == 1);
    CHECK(bench.coverage().checked_programs == 1);
    CHECK(bench.coverage().checked_macs == program.placed.macs);
    CHECK(bench.coverage().cycles == bench.checked->counters().cycles());
    for (int i = 0; i < 300; ++i) bench.checked->run(program.placed);
    CHECK(bench.coverage().programs == 301);
    CHECK(bench.coverage().macs == 301 * program.placed.macs);
    CHECK(bench.coverage().tiles == 0);
    return bench.coverage().checked_programs;
  };
  const std::uint64_t checked = checked_programs(1);
  CHECK(checked > 15);  // 31 are expected, with a deviation of 5.2
  CHECK(checked < 47);
  CHECK(checked_programs(1) == checked);
}

TEST_CASE("a program's wrong bit is caught wherever it may write, and so is one clock too many",
          "[check]") {
  using Catch::Contains;
  for (const std::uint64_t byte : {std::uint64_t{0}, std::uint64_t{1024}, std::uint64_t{2047}}) {
    Bench bench(1);
    const OwnProgram program(bench);
    bench.model->spoiled_address = program.placed.base + byte;
    CHECK_THROWS_WITH(bench.checked->run(program.placed),
                      Contains("program 1 of") && Contains("the byte at 0x"));
    CHECK(bench.coverage().checked_programs == 0);
  }
  Bench bench(1);
  const OwnProgram program(bench);
  bench.model->more_clocks = 1;
  CHECK_THROWS_WITH(bench.checked->run(program.placed),
                    Contains("it takes") && Contains("clocks on model"));
}

TEST_CASE("a program that faults is refused by the checked device itself", "[check]") {
  Bench bench(1000);
  OwnProgram program(bench);
  program.placed.end = program.placed.base + 64;  // its operands lie outside
  CHECK_THROWS_WITH(bench.checked->run(program.placed), Catch::Contains("device fault"));
  CHECK(bench.coverage().checked_programs == 0);
}

TEST_CASE("a checked device has its programs' sizes, or runs none as the device itself",
          "[check]") {
  const Bench bench(1);
  REQUIRE(bench.checked->sizes().has_value());
  CHECK(bench.checked->sizes()->array_size == kSize);
  const auto cpu = [] { return find_entry("cpu")->make({}); };
  CheckedBackend none(cpu(), cpu(), cpu(), nullptr, {});
  CHECK_FALSE(none.sizes().has_value());
  CHECK_THROWS_WITH(cpu()->run({}), Catch::Contains("runs no programs"));
}

TEST_CASE("a tile overwritten within its program counts as unreachable", "[check]") {
  Bench bench(1000);
  const Product first = bench.product(4, 4, 4);
  Product again = bench.product(4, 4, 4);
  again.c = first.c;
  Product added = again;
  added.accumulate = true;
  bench.run({first, again, added});
  CHECK(bench.coverage().checked == 0);
  CHECK(bench.coverage().unreachable == 3);
  bench.run({first});
  CHECK(bench.coverage().checked == 1);
}

TEST_CASE("the check and the RTL agree with the model in the smallest buffers", "[check]") {
  if (find_entry("rtl") == nullptr) return;
  DeviceOptions options{.array_size = kSize};
  const std::vector<std::byte> expected = run_products(Device::open("model", options));
  options.buffers = {.bank_rows = kSize,
                     .row_words = 4 * kSize,
                     .weight_words = 4 * kSize,
                     .mask_words = 4 * kSize};
  CHECK(run_products(Device::open("rtl", options)) == expected);
  options.check_per_mille = 1000;
  const Device checked = Device::open("model", options);
  CHECK(run_products(checked) == expected);
  CHECK(checked.check_coverage()->checked == 3 * 6 * 5);
}

TEST_CASE("a check is refused for devices other than model and for arrays without RTL", "[check]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(Device::open("cpu", {.check_per_mille = 1}), Contains("only 'model' is"));
  CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = 1001}), Contains("0 to 1000"));
  CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = -1}), Contains("0 to 1000"));
  const BackendEntry* rtl = find_entry("rtl");
  if (rtl == nullptr) {
    CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = 1}), Contains("has no RTL"));
    return;
  }
  CHECK_THROWS_WITH(Device::open("rtl", {.array_size = kSize, .check_per_mille = 1}),
                    Contains("only 'model' is"));
  CHECK_THROWS_WITH(Device::open("model", {.array_size = 32, .check_per_mille = 1}),
                    Contains("no 32 x 32 RTL"));

  const Device device = Device::open("model", {.array_size = kSize, .check_per_mille = 1000});
  Queue queue = device.make_queue();
  Matmul product;
  product.rows = 9;
  product.depth = 10;
  product.cols = 11;
  const MatmulSizes sizes = matmul_sizes(product);
  product.a = device.allocate(sizes.a_bytes);
  product.b = device.allocate(sizes.b_bytes);
  product.c = device.allocate(sizes.c_bytes);
  queue.matmul(product);
  queue.wait();
  CHECK(device.check_coverage()->checked == 9);
  CHECK(device.check_coverage()->reference == "rtl");
}

}  // namespace systole
