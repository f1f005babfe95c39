// The check of one device by another: coverage, differences and refusals.
#include "host/device/checked_backend.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "host/device/random_matrix.h"
#include "host/device/registry.h"
#include "tests/host/placed_products.h"

namespace systole {
namespace {

using tests::PlacedProducts;

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
  std::optional<DeviceSizes> sizes() const override { return good_->sizes(); }
  void run(const PlacedProgram& program) override {
    good_->run(program);
    ++programs_;
    if (spoiled_address == 0) return;
    std::byte byte{};
    memory().read(spoiled_address, {&byte, 1});
    byte ^= std::byte{1};
    memory().write(spoiled_address, {&byte, 1});
  }
  Counters counters() const override {
    Counters counters = good_->counters();
    counters.counts[static_cast<std::size_t>(device::Count::kCycles)] += more_clocks * programs_;
    return counters;
  }

 private:
  std::shared_ptr<Backend> good_;
  std::uint64_t programs_ = 0;
};

/// Products on random operands in one block of a device's memory, as compiled programs have it.
class Products {
 public:
  explicit Products(Backend& backend) : backend_(backend), block_(backend.memory(), kBytes) {}

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
  Product with_bias() {
    Product product = this->product(5, 4, 13, false, true);
    product.bias = sums(3, 1, 13);
    product.relu = true;
    product.format = device::StoreFormat::kBf16;
    return product;
  }
  Product masked() {
    Product product = this->product(7, 9, 10, true, true);
    product.mask = operands(4, 7, 10, false);
    product.column_sums = sums(5, 1, 10);
    return product;
  }
  Product added() {
    Product product = this->product(6, 5, 7);
    product.accumulate = true;
    return product;
  }
  Product int8() {
    Product product = this->product(4, 6, 5);
    product.type = DataType::kInt8;
    return product;
  }

 private:
  std::uint64_t place(const std::vector<std::byte>& bytes) {
    const std::uint64_t address = block_.address() + used_;
    backend_.memory().write(address, bytes);
    used_ += (bytes.size() + 63) / 64 * 64;
    return address;
  }

  static constexpr std::int64_t kBytes = 1 << 16;
  Backend& backend_;
  MemoryBlock block_;
  std::uint64_t used_ = 0;
};

/// A checked model.
struct Bench {
  std::shared_ptr<SpoiledBackend> model = std::make_shared<SpoiledBackend>(make_model());
  CheckedBackend checked;
  Products products{checked};

  explicit Bench(double per_mille, std::uint64_t seed = kSeed)
      : checked(model, make_model(), {.per_mille = per_mille, .seed = seed}) {}

  /// A product, and another that adds to its C.
  PlacedProducts two_products() {
    Product product = products.product(9, 11, 6);
    Product again = product;
    again.accumulate = true;
    return {checked, {product, again}};
  }
  CheckCoverage coverage() const { return *checked.check_coverage(); }
};

/// The results of three products with every kind of epilogue, as one program of a device.
std::vector<std::byte> run_products(const Device& device) {
  Backend& backend = device.backend();
  Products products(backend);
  const std::vector<Product> all{products.with_bias(), products.masked(), products.added()};
  tests::run_products(backend, all);
  std::vector<std::byte> results;
  for (const Product& product : all) {
    for (const ProductSpan& span : spans(product)) {
      if (!span.is_written) continue;
      const auto bytes = tests::read(backend, span.range.address, span.range.size_bytes);
      results.insert(results.end(), bytes.begin(), bytes.end());
    }
  }
  return results;
}

}  // namespace

TEST_CASE("at 1000 per mille every program of every kind of product runs again", "[check]") {
  Bench bench(1000);
  Products& make = bench.products;
  const std::vector<std::vector<Product>> programs{
      {make.product(9, 11, 6, true, false), make.with_bias(), make.int8()},
      {make.masked(), make.added()},
      {make.added()}};
  std::uint64_t macs = 0;
  for (const std::vector<Product>& products : programs) {
    tests::run_products(bench.checked, products);
    for (const Product& product : products) macs += product.macs();
  }
  const CheckCoverage coverage = bench.coverage();
  CHECK(coverage.programs == 3);
  CHECK(coverage.checked_programs == 3);
  CHECK(coverage.macs == macs);
  CHECK(coverage.checked_macs == macs);
  CHECK(coverage.cycles == bench.checked.counters().cycles());
}

TEST_CASE("the first program runs again, and a seeded sample of the others", "[check]") {
  const auto checked_programs = [](std::uint64_t seed) {
    Bench bench(100, seed);
    const PlacedProducts placed = bench.two_products();
    bench.checked.run(placed.program);
    CHECK(bench.coverage().programs == 1);
    CHECK(bench.coverage().checked_programs == 1);
    CHECK(bench.coverage().checked_macs == placed.program.macs);
    CHECK(bench.coverage().cycles == bench.checked.counters().cycles());
    for (int i = 0; i < 300; ++i) bench.checked.run(placed.program);
    CHECK(bench.coverage().programs == 301);
    CHECK(bench.coverage().macs == 301 * placed.program.macs);
    return bench.coverage().checked_programs;
  };
  const std::uint64_t checked = checked_programs(1);
  CHECK(checked > 15);  // 31 are expected, with a deviation of 5.2
  CHECK(checked < 47);
  CHECK(checked_programs(1) == checked);
}

TEST_CASE("one wrong bit is caught, and the message says where", "[check]") {
  using Catch::Contains;
  const auto refusal = [](auto&& address) {
    Bench bench(1000);
    const std::vector<Product> products{bench.products.product(3, 3, 3), bench.products.masked()};
    const PlacedProducts placed(bench.checked, products);
    bench.model->spoiled_address = address(placed.program, products.back());
    try {
      bench.checked.run(placed.program);
    } catch (const DeviceError& error) {
      CHECK(bench.coverage().checked_programs == 0);
      return std::string(error.what());
    }
    return std::string("no difference");
  };
  CHECK(refusal([](auto&, auto&) { return std::uint64_t{0}; }) == "no difference");
  CHECK_THAT(
      refusal([](auto&, const Product& product) { return product.c + 4 * (5 * 10 + 4); }),
      Contains("program 1 of") && Contains("in element (5, 4) of C of 7 x 9 times 9 x 10, bf16"));
  CHECK_THAT(refusal([](auto&, const Product& product) { return product.column_sums + 4 * 5; }),
             Contains("in element (0, 5) of the column sums of 7 x 9 times 9 x 10"));
  for (const bool last : {false, true}) {  // wherever a program may write
    CHECK_THAT(refusal([&](const PlacedProgram& program, auto&) {
                 return last ? program.end - 1 : program.base;
               }),
               Contains("the byte at 0x"));
  }
}

TEST_CASE("one clock too many is caught", "[check]") {
  Bench bench(1);
  bench.model->more_clocks = 1;
  CHECK_THROWS_WITH(bench.checked.run(bench.two_products().program),
                    Catch::Contains("it takes") && Catch::Contains("clocks on model"));
}

TEST_CASE("a program that faults is refused by the checked device itself", "[check]") {
  Bench bench(1000);
  PlacedProducts placed = bench.two_products();
  placed.program.end = placed.program.base + 64;  // its operands lie outside
  CHECK_THROWS_WITH(bench.checked.run(placed.program), Catch::Contains("device fault"));
  CHECK(bench.coverage().checked_programs == 0);
}

TEST_CASE("a checked device has its programs' sizes, or runs none as the device itself",
          "[check]") {
  const Bench bench(1);
  REQUIRE(bench.checked.sizes().has_value());
  CHECK(bench.checked.sizes()->array_size == kSize);
  const auto cpu = [] { return find_entry("cpu")->make({}); };
  CheckedBackend none(cpu(), cpu(), {});
  CHECK_FALSE(none.sizes().has_value());
  CHECK_THROWS_WITH(cpu()->run({}), Catch::Contains("runs no programs"));
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
  for (const std::uint64_t programs : {1, 2}) {
    CHECK(run_products(checked) == expected);
    CHECK(checked.check_coverage()->checked_programs == programs);
  }
  CHECK(checked.check_coverage()->reference == "rtl");
}

TEST_CASE("a check is refused for devices other than model and for arrays without RTL", "[check]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(Device::open("cpu", {.check_per_mille = 1}), Contains("only 'model' is"));
  CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = 1001}), Contains("0 to 1000"));
  CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = -1}), Contains("0 to 1000"));
  if (find_entry("rtl") == nullptr) {
    CHECK_THROWS_WITH(Device::open("model", {.check_per_mille = 1}), Contains("has no RTL"));
    return;
  }
  CHECK_THROWS_WITH(Device::open("rtl", {.array_size = kSize, .check_per_mille = 1}),
                    Contains("only 'model' is"));
  CHECK_THROWS_WITH(Device::open("model", {.array_size = 32, .check_per_mille = 1}),
                    Contains("no 32 x 32 RTL"));
}

}  // namespace systole
