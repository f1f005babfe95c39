// One suite for every backend of the build that runs programs, at each of its array sizes: products
// as lists of commands. Devices that claim to be bit_exact or cycle_exact are compared with the
// oracle and with each other.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <tuple>

#include "host/device/registry.h"
#include "tests/host/placed_products.h"
#include "tests/host/product_case.h"
#include "tests/support/tolerances.h"

namespace systole::tests {
namespace {

constexpr std::uint64_t kSeed = 20;

// Arrays up to this size run every combination of the conformance shapes, larger ones a sample.
constexpr int kLargestFullArray = 4;
constexpr std::size_t kSample = 30;
constexpr std::size_t kLargeSample = 12;  // for larger arrays, on which the oracle is slow

constexpr int kLargestTallArray = 16;  // likewise

std::size_t sample_size(int array_size) { return array_size <= 32 ? kSample : kLargeSample; }

struct Opened {
  Device device;
  int array_size;
};

std::vector<Opened> open_all() {
  std::vector<Opened> opened;
  for (const BackendEntry& entry : backends()) {
    for (const int size : entry.array_sizes) {
      opened.push_back({Device::open(entry.info.name, {.array_size = size}), size});
    }
  }
  return opened;
}

std::vector<Product> shapes_for(int array_size) {
  return conformance_shapes(array_size, kSeed,
                            array_size <= kLargestFullArray ? 0 : sample_size(array_size));
}

/// A product that a device ran alone.
struct Ran {
  std::vector<std::byte> result;
  Counters counted;
};

/// Runs each product once on each device, whichever test asks first.
const Ran& ran(const ProductCase& product, const Opened& opened) {
  static std::map<std::string, Ran> all;
  const auto& [device, array_size] = opened;
  const std::string key = fmt::format("{} {} {}", device.info().name, array_size, product.text());
  const auto [found, is_new] = all.try_emplace(key);
  if (is_new) {
    const Counters before = device.counters();
    found->second.result = run_case(product, device);
    found->second.counted = device.counters() - before;
  }
  return found->second;
}

/// The oracle's bits, computed once for all devices.
const std::vector<std::byte>& oracle(const ProductCase& product, int array_size) {
  using Bytes = std::vector<std::byte>;
  static std::map<std::tuple<int, std::string, Bytes, Bytes, Bytes>, Bytes> all;
  const auto [found, is_new] =
      all.try_emplace({array_size, product.text(), product.a, product.b, product.c});
  if (is_new) found->second = reference_case(product, array_size);
  return found->second;
}

template <typename T>
T element(const std::vector<std::byte>& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("every device is within the error bounds of numerics.md", "[conformance]") {
  for (const Opened& opened : open_all()) {
    const auto& [device, array_size] = opened;
    for (const Product& shape : shapes_for(array_size)) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      const std::vector<std::byte>& result = ran(product, opened).result;
      const ExactProduct exact = exact_case(product);
      REQUIRE(result.size() == exact.values.size() * kSumSizeBytes);
      for (std::size_t i = 0; i < exact.values.size(); ++i) {
        if (shape.type == DataType::kInt8) {
          REQUIRE(element<std::int32_t>(result, i) == exact.values[i]);
        } else {
          const double error = std::fabs(element<float>(result, i) - exact.values[i]);
          REQUIRE(error <= kBf16MatmulTolerance * exact.magnitudes[i]);
        }
      }
    }
  }
}

TEST_CASE("every bit-exact device gives the oracle's bits", "[conformance]") {
  for (const Opened& opened : open_all()) {
    const auto& [device, array_size] = opened;
    if (!device.info().bit_exact) continue;
    for (const Product& shape : shapes_for(array_size)) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      REQUIRE(ran(product, opened).result == oracle(product, array_size));
    }
  }
}

TEST_CASE("a product of more rows than an accumulator holds keeps the oracle's bits",
          "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().bit_exact || array_size > kLargestTallArray) continue;
    for (const std::int64_t rows : {511, 512, 513, 1025}) {
      Product shape;
      shape.rows = rows;
      shape.depth = 2 * array_size + 1;
      shape.cols = array_size + 1;
      shape.transpose_a = rows % 2 == 0;
      shape.accumulate = rows == 1025;
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      REQUIRE(run_case(product, device) == oracle(product, array_size));
    }
  }
}

TEST_CASE("every bit-exact device gives the oracle's bits for operands of any bits",
          "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().bit_exact) continue;
    for (std::uint64_t seed = kSeed; seed < kSeed + 3; ++seed) {
      for (const Product& shape : conformance_shapes(array_size, seed, sample_size(array_size))) {
        const ProductCase product = make_case(shape, seed, Operands::kAnyBits);
        INFO(device.info().name << ", array " << array_size << ", " << product.text()
                                << ", any bits, seed " << seed);
        REQUIRE(run_case(product, device) == oracle(product, array_size));
      }
    }
  }
}

TEST_CASE("cycle-exact devices count the same for the same product on the same array",
          "[conformance]") {
  // Per array size: the counters that the first device gave, product by product.
  std::map<int, std::vector<Counters>> expected;
  for (const Opened& opened : open_all()) {
    const auto& [device, array_size] = opened;
    if (!device.info().cycle_exact) continue;
    std::vector<Counters> counted;
    const std::vector<Product> shapes = shapes_for(array_size);
    for (const Product& shape : shapes) {
      counted.push_back(ran(make_case(shape, kSeed), opened).counted);
    }
    const auto [known, first] = expected.try_emplace(array_size, counted);
    if (first) continue;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      INFO(device.info().name << ", array " << array_size << ", " << describe(shapes[i]));
      REQUIRE(counted[i].cycles() == known->second[i].cycles());
      REQUIRE(counted[i] == known->second[i]);
    }
  }
}

TEST_CASE("counters count the products, and their clocks add up", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    for (const Product& shape : conformance_shapes(array_size, kSeed, sample_size(array_size))) {
      INFO(device.info().name << ", array " << array_size << ", " << describe(shape));
      const Counters before = device.counters();
      run_case(make_case(shape, kSeed), device);
      const Counters counted = device.counters() - before;
      CHECK(counted.products == 1);
      CHECK(counted.macs == static_cast<std::uint64_t>(shape.rows * shape.depth * shape.cols));
      if (!device.info().cycle_exact) {
        CHECK(counted.counts == Counters{}.counts);
        continue;
      }
      const Stalls causes = stalls(counted);
      CHECK(counted[device::Count::kTiles] >= 1);
      CHECK(counted.cycles() == counted[device::Count::kRows] + causes.load + causes.store +
                                    causes.weights + causes.sums + causes.idle);
      CHECK(counted[device::Count::kWriteBeats] >= 1);
      CHECK(utilization(counted, array_size) <= 1.0);
      CHECK(utilization(counted, array_size) > 0.0);
    }
  }
}

TEST_CASE("a product's clocks do not depend on its operands", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    for (const Product& shape : conformance_shapes(array_size, kSeed, 10)) {
      INFO(device.info().name << ", array " << array_size << ", " << describe(shape));
      const Counters start = device.counters();
      run_case(make_case(shape, kSeed), device);
      const Counters middle = device.counters();
      run_case(make_case(shape, kSeed + 1, Operands::kAnyBits), device);
      CHECK(device.counters() - middle == middle - start);
    }
  }
}

TEST_CASE("the products of a program see each other's results", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    INFO(device.info().name << ", array " << array_size);
    // C = A B, then C += A B twice: int8 is exact, so the result is three times the product.
    Backend& backend = device.backend();
    const ProductCase product = make_case({.rows = array_size + 1,
                                           .depth = 2 * array_size + 1,
                                           .cols = array_size - 1,
                                           .type = DataType::kInt8},
                                          kSeed);
    const ExactProduct exact = exact_case(product);
    const std::int64_t c_bytes = std::ssize(exact.values) * kSumSizeBytes;
    const MemoryBlock a = place(backend, product.a), b = place(backend, product.b);
    const MemoryBlock c(backend.memory(), c_bytes);
    Product placed = product.shape;
    placed.a = a.address();
    placed.b = b.address();
    placed.c = c.address();
    Product added = placed;
    added.accumulate = true;
    run_products(backend, {placed, added, added});
    const std::vector<std::byte> result = read(backend, c.address(), c_bytes);
    for (std::size_t i = 0; i < exact.values.size(); ++i) {
      REQUIRE(element<std::int32_t>(result, i) == 3 * exact.values[i]);
    }
  }
}

TEST_CASE("a product does not change the memory after C", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    INFO(device.info().name << ", array " << array_size);
    Backend& backend = device.backend();
    const ProductCase product = make_case({.rows = 3, .depth = array_size + 1, .cols = 5}, kSeed);
    const std::int64_t c_bytes = 3 * 5 * kSumSizeBytes;
    const std::int64_t spare = 2 * array_size * array_size * kSumSizeBytes;
    const std::vector<std::byte> pattern(static_cast<std::size_t>(spare), std::byte{0xa5});
    const MemoryBlock a = place(backend, product.a), b = place(backend, product.b);
    const MemoryBlock c(backend.memory(), c_bytes + spare);
    backend.memory().write(c.address() + static_cast<std::uint64_t>(c_bytes), pattern);
    Product placed = product.shape;
    placed.a = a.address();
    placed.b = b.address();
    placed.c = c.address();
    PlacedProducts placed_products(backend, {placed});
    placed_products.program.end = c.address() + static_cast<std::uint64_t>(c_bytes + spare);
    backend.run(placed_products.program);  // which could write there
    CHECK(read(backend, c.address() + static_cast<std::uint64_t>(c_bytes), spare) == pattern);
  }
}

TEST_CASE("the number of threads changes no bit and no clock of a bit-exact device",
          "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    if (!entry.info.bit_exact) continue;
    const int array_size = entry.array_sizes.front();
    const Device one = Device::open(entry.info.name, {.array_size = array_size, .threads = 1});
    const Device two = Device::open(entry.info.name, {.array_size = array_size, .threads = 2});
    std::vector<Product> shapes = conformance_shapes(array_size, kSeed, 20);
    Product worth_a_thread;
    worth_a_thread.rows = 201;
    worth_a_thread.depth = 150;
    worth_a_thread.cols = 131;
    shapes.push_back(worth_a_thread);
    for (const Product& shape : shapes) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(entry.info.name << ", array " << array_size << ", " << product.text());
      REQUIRE(run_case(product, one) == run_case(product, two));
    }
    CHECK(one.counters() == two.counters());
  }
}

}  // namespace systole::tests
