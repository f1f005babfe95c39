#include "tests/host/product_case.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <utility>

#include "hls/reference/matmul.h"
#include "host/device/convert.h"
#include "host/device/random_matrix.h"
#include "tests/host/placed_products.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

template <typename T>
std::vector<T> elements(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// op(matrix) in [rows, cols] layout.
template <typename T>
std::vector<T> straighten(const std::vector<std::byte>& bytes, std::int64_t rows, std::int64_t cols,
                          bool transposed) {
  const std::vector<T> stored = elements<T>(bytes);
  if (!transposed) return stored;
  std::vector<T> straight(stored.size());
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      straight[static_cast<std::size_t>(row * cols + col)] =
          stored[static_cast<std::size_t>(col * rows + row)];
    }
  }
  return straight;
}

template <typename T>
std::vector<T> straight_a(const ProductCase& product) {
  const Product& shape = product.shape;
  return straighten<T>(product.a, shape.rows, shape.depth, shape.transpose_a);
}

template <typename T>
std::vector<T> straight_b(const ProductCase& product) {
  const Product& shape = product.shape;
  return straighten<T>(product.b, shape.depth, shape.cols, shape.transpose_b);
}

template <typename T>
std::vector<T> initial_c(const ProductCase& product) {
  if (product.shape.accumulate) return elements<T>(product.c);
  return std::vector<T>(static_cast<std::size_t>(product.shape.rows * product.shape.cols));
}

std::vector<double> as_double(const std::vector<std::byte>& bytes, DataType type) {
  std::vector<double> values;
  if (type == DataType::kFp32) {
    for (const float value : elements<float>(bytes)) values.push_back(value);
  } else if (type == DataType::kBf16) {
    for (const std::uint16_t value : elements<std::uint16_t>(bytes)) {
      values.push_back(to_fp32(value));
    }
  } else {
    for (const std::int8_t value : elements<std::int8_t>(bytes)) values.push_back(value);
  }
  return values;
}

std::vector<std::byte> any_bits(std::int64_t size_bytes, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes));
  for (std::byte& byte : bytes) {
    // Half of the bytes are chosen to make special values likely.
    static constexpr std::uint8_t kSpecial[] = {0x00, 0x01, 0x7f, 0x80, 0xff, 0xc0, 0x3f, 0x81};
    byte = static_cast<std::byte>(random.below(2) == 0 ? kSpecial[random.below(8)]
                                                       : random.below(256));
  }
  return bytes;
}

}  // namespace

std::string ProductCase::text() const {
  return fmt::format("{}{}{}{}", describe(shape), shape.transpose_a ? ", A transposed" : "",
                     shape.transpose_b ? ", B transposed" : "",
                     shape.accumulate ? ", accumulated" : "");
}

ProductCase make_case(const Product& shape, std::uint64_t seed, Operands operands) {
  ProductCase product;
  product.shape = shape;
  if (operands == Operands::kAnyBits) {
    const std::vector<ProductSpan> all = spans(shape);
    product.a = any_bits(all[0].range.size_bytes, 3 * seed);
    product.b = any_bits(all[1].range.size_bytes, 3 * seed + 1);
    if (shape.accumulate) product.c = any_bits(all[2].range.size_bytes, 3 * seed + 2);
    return product;
  }
  product.a =
      RandomMatrix{seed, 0, shape.rows, shape.depth, shape.transpose_a}.operands(shape.type);
  product.b =
      RandomMatrix{seed, 1, shape.depth, shape.cols, shape.transpose_b}.operands(shape.type);
  if (shape.accumulate) {
    product.c = RandomMatrix{seed, 2, shape.rows, shape.cols}.sums(shape.type);
  }
  return product;
}

std::vector<std::byte> run_case(const ProductCase& product, const Device& device) {
  Backend& backend = device.backend();
  const Product& shape = product.shape;
  const std::int64_t c_bytes = shape.rows * shape.cols * kSumSizeBytes;
  const MemoryBlock a = place(backend, product.a), b = place(backend, product.b);
  const MemoryBlock c =
      shape.accumulate ? place(backend, product.c) : MemoryBlock(backend.memory(), c_bytes);
  Product placed = shape;
  placed.a = a.address();
  placed.b = b.address();
  placed.c = c.address();
  run_products(backend, {placed});
  return read(backend, c.address(), c_bytes);
}

std::vector<std::byte> reference_case(const ProductCase& product, int array_size) {
  const Product& matmul = product.shape;
  const reference::MatmulShape shape{.rows = static_cast<int>(matmul.rows),
                                     .depth = static_cast<int>(matmul.depth),
                                     .cols = static_cast<int>(matmul.cols),
                                     .array_size = array_size,
                                     .accumulate = matmul.accumulate};
  if (matmul.type == DataType::kInt8) {
    std::vector<std::int32_t> c = initial_c<std::int32_t>(product);
    reference::matmul_int8(shape, straight_a<std::int8_t>(product),
                           straight_b<std::int8_t>(product), c);
    return bytes_of(c);
  }
  std::vector<std::uint32_t> c = initial_c<std::uint32_t>(product);
  reference::matmul_bf16(shape, straight_a<std::uint16_t>(product),
                         straight_b<std::uint16_t>(product), c);
  return bytes_of(c);
}

ExactProduct exact_case(const ProductCase& product) {
  const Product& shape = product.shape;
  const auto straight = [&](const std::vector<std::byte>& stored, std::int64_t rows,
                            std::int64_t cols, bool transposed) {
    return straighten<double>(bytes_of(as_double(stored, shape.type)), rows, cols, transposed);
  };
  const auto a = straight(product.a, shape.rows, shape.depth, shape.transpose_a);
  const auto b = straight(product.b, shape.depth, shape.cols, shape.transpose_b);
  ExactProduct exact;
  if (!shape.accumulate) {
    exact.values.resize(static_cast<std::size_t>(shape.rows * shape.cols));
  } else if (shape.type == DataType::kInt8) {
    for (const std::int32_t value : elements<std::int32_t>(product.c)) {
      exact.values.push_back(value);
    }
  } else {
    exact.values = as_double(product.c, DataType::kFp32);
  }
  for (const double value : exact.values) exact.magnitudes.push_back(std::fabs(value));
  std::size_t place = 0;
  for (std::int64_t row = 0; row < shape.rows; ++row) {
    for (std::int64_t col = 0; col < shape.cols; ++col, ++place) {
      for (std::int64_t k = 0; k < shape.depth; ++k) {
        const double term = a[static_cast<std::size_t>(row * shape.depth + k)] *
                            b[static_cast<std::size_t>(k * shape.cols + col)];
        exact.values[place] += term;
        exact.magnitudes[place] += std::fabs(term);
      }
    }
  }
  return exact;
}

std::vector<Product> conformance_shapes(int array_size, std::uint64_t seed, std::size_t sample) {
  const std::int64_t n = array_size;
  const std::int64_t sizes[] = {1, n - 1, n, n + 1, 2 * n + 1};
  std::vector<Product> shapes;
  for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
    for (int flags = 0; flags < 8; ++flags) {
      for (const std::int64_t rows : sizes) {
        for (const std::int64_t depth : sizes) {
          for (const std::int64_t cols : sizes) {
            Product shape;
            shape.rows = rows;
            shape.depth = depth;
            shape.cols = cols;
            shape.type = type;
            shape.transpose_a = (flags & 1) != 0;
            shape.transpose_b = (flags & 2) != 0;
            shape.accumulate = (flags & 4) != 0;
            shapes.push_back(shape);
          }
        }
      }
    }
  }
  if (sample == 0 || sample >= shapes.size()) return shapes;
  Random random(seed);
  for (std::size_t i = 0; i < sample; ++i) {
    const auto rest = static_cast<std::uint32_t>(shapes.size() - i);
    std::swap(shapes[i], shapes[i + random.below(rest)]);
  }
  shapes.resize(sample);
  return shapes;
}

}  // namespace systole::tests
