// One suite for every backend of the build, at each of its array sizes. Devices that claim to be
// bit_exact or cycle_exact are compared with the oracle and with each other.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>

#include "host/device/registry.h"
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

// Every backend at every array size; cpu, which has none, stands for each size in turn.
struct Opened {
  Device device;
  int array_size;
};

std::vector<Opened> open_all() {
  std::vector<Opened> opened;
  for (const BackendEntry& entry : backends()) {
    const std::vector<int> sizes =
        entry.array_sizes.empty() ? std::vector<int>{4, 16} : entry.array_sizes;
    for (const int size : sizes) {
      opened.push_back({Device::open(entry.info.name, {.array_size = size}), size});
    }
  }
  return opened;
}

std::vector<Matmul> shapes_for(int array_size) {
  return conformance_shapes(array_size, kSeed,
                            array_size <= kLargestFullArray ? 0 : sample_size(array_size));
}

template <typename T>
T element(const std::vector<std::byte>& bytes, std::size_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

TEST_CASE("every device is within the error bounds of numerics.md", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    // A product's error bound counts its roundings; both tolerances allow these depths.
    const double tolerance = device.info().bit_exact ? kBf16MatmulTolerance : kFp32MatmulTolerance;
    for (const Matmul& shape : shapes_for(array_size)) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      const std::vector<std::byte> result = run_case(product, device);
      const ExactProduct exact = exact_case(product);
      REQUIRE(result.size() == exact.values.size() * kSumSizeBytes);
      for (std::size_t i = 0; i < exact.values.size(); ++i) {
        if (shape.type == DataType::kInt8) {
          REQUIRE(element<std::int32_t>(result, i) == exact.values[i]);
        } else {
          const double error = std::fabs(element<float>(result, i) - exact.values[i]);
          REQUIRE(error <= tolerance * exact.magnitudes[i]);
        }
      }
    }
  }
}

TEST_CASE("every bit-exact device gives the oracle's bits", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().bit_exact) continue;
    for (const Matmul& shape : shapes_for(array_size)) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      REQUIRE(run_case(product, device) == reference_case(product, array_size));
    }
  }
}

TEST_CASE("a product of more rows than an accumulator holds keeps the oracle's bits",
          "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().bit_exact || array_size > kLargestTallArray) continue;
    for (const std::int64_t rows : {511, 512, 513, 1025}) {
      Matmul shape;
      shape.rows = rows;
      shape.depth = 2 * array_size + 1;
      shape.cols = array_size + 1;
      shape.transpose_a = rows % 2 == 0;
      shape.accumulate = rows == 1025;
      const ProductCase product = make_case(shape, kSeed);
      INFO(device.info().name << ", array " << array_size << ", " << product.text() << ", seed "
                              << kSeed);
      REQUIRE(run_case(product, device) == reference_case(product, array_size));
    }
  }
}

TEST_CASE("every bit-exact device gives the oracle's bits for operands of any bits",
          "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().bit_exact) continue;
    for (std::uint64_t seed = kSeed; seed < kSeed + 3; ++seed) {
      for (const Matmul& shape : conformance_shapes(array_size, seed, sample_size(array_size))) {
        const ProductCase product = make_case(shape, seed, Operands::kAnyBits);
        INFO(device.info().name << ", array " << array_size << ", " << product.text()
                                << ", any bits, seed " << seed);
        REQUIRE(run_case(product, device) == reference_case(product, array_size));
      }
    }
  }
}

TEST_CASE("cycle-exact devices count the same for the same product on the same array",
          "[conformance]") {
  // Per array size: the counters that the first device gave, product by product.
  std::map<int, std::vector<Counters>> expected;
  for (const auto& [device, array_size] : open_all()) {
    if (!device.info().cycle_exact) continue;
    std::vector<Counters> counted;
    const std::vector<Matmul> shapes = shapes_for(array_size);
    for (const Matmul& shape : shapes) {
      const Counters before = device.counters();
      run_case(make_case(shape, kSeed), device);
      counted.push_back(device.counters() - before);
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
    for (const Matmul& shape : conformance_shapes(array_size, kSeed, sample_size(array_size))) {
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
    for (const Matmul& shape : conformance_shapes(array_size, kSeed, 10)) {
      INFO(device.info().name << ", array " << array_size << ", " << describe(shape));
      const Counters start = device.counters();
      run_case(make_case(shape, kSeed), device);
      const Counters middle = device.counters();
      run_case(make_case(shape, kSeed + 1, Operands::kAnyBits), device);
      CHECK(device.counters() - middle == middle - start);
    }
  }
}

TEST_CASE("a chain of products in one queue sees each other's results", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    INFO(device.info().name << ", array " << array_size);
    // C = A B, then C += A B twice: int8 is exact, so the result is three times the product.
    Matmul shape;
    shape.rows = array_size + 1;
    shape.depth = 2 * array_size + 1;
    shape.cols = array_size - 1;
    shape.type = DataType::kInt8;
    const ProductCase product = make_case(shape, kSeed);
    const MatmulSizes sizes = matmul_sizes(shape);
    Matmul matmul = shape;
    matmul.a = device.allocate(sizes.a_bytes);
    matmul.b = device.allocate(sizes.b_bytes);
    matmul.c = device.allocate(sizes.c_bytes);
    std::vector<std::int32_t> result(static_cast<std::size_t>(sizes.c_bytes / kSumSizeBytes));
    Queue queue = device.make_queue();
    queue.copy_to_device(product.a, matmul.a);
    queue.copy_to_device(product.b, matmul.b);
    queue.matmul(matmul);
    matmul.accumulate = true;
    queue.matmul(matmul);
    queue.matmul(matmul);
    queue.copy_to_host(matmul.c, result);
    const ExactProduct exact = exact_case(product);
    for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(result[i] == 3 * exact.values[i]);
  }
}

TEST_CASE("a product does not change the memory after C", "[conformance]") {
  for (const auto& [device, array_size] : open_all()) {
    INFO(device.info().name << ", array " << array_size);
    Matmul shape;
    shape.rows = 3;
    shape.depth = array_size + 1;
    shape.cols = 5;
    const ProductCase product = make_case(shape, kSeed);
    const MatmulSizes sizes = matmul_sizes(shape);
    const std::int64_t spare = 2 * array_size * array_size * kSumSizeBytes;
    Matmul matmul = shape;
    matmul.a = device.allocate(sizes.a_bytes);
    matmul.b = device.allocate(sizes.b_bytes);
    matmul.c = device.allocate(sizes.c_bytes + spare);
    const std::vector<std::byte> pattern(static_cast<std::size_t>(sizes.c_bytes + spare),
                                         std::byte{0xa5});
    std::vector<std::byte> result(pattern.size());
    Queue queue = device.make_queue();
    queue.copy_to_device(product.a, matmul.a);
    queue.copy_to_device(product.b, matmul.b);
    queue.copy_to_device(pattern, matmul.c);
    queue.matmul(matmul);
    queue.copy_to_host(matmul.c, result);
    CHECK(std::equal(result.begin() + sizes.c_bytes, result.end(), pattern.begin()));
  }
}

TEST_CASE("the number of threads changes no bit and no clock of a bit-exact device",
          "[conformance]") {
  for (const BackendEntry& entry : backends()) {
    if (!entry.info.bit_exact) continue;
    const int array_size = entry.array_sizes.front();
    const Device one = Device::open(entry.info.name, {.array_size = array_size, .threads = 1});
    const Device two = Device::open(entry.info.name, {.array_size = array_size, .threads = 2});
    std::vector<Matmul> shapes = conformance_shapes(array_size, kSeed, 20);
    Matmul worth_a_thread;
    worth_a_thread.rows = 201;
    worth_a_thread.depth = 150;
    worth_a_thread.cols = 131;
    shapes.push_back(worth_a_thread);
    for (const Matmul& shape : shapes) {
      const ProductCase product = make_case(shape, kSeed);
      INFO(entry.info.name << ", array " << array_size << ", " << product.text());
      REQUIRE(run_case(product, one) == run_case(product, two));
    }
    CHECK(one.counters() == two.counters());
  }
}

}  // namespace systole::tests
