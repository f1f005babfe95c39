#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/device/device.h"
#include "host/device/product.h"

namespace systole::tests {

/// One matrix product to be run on any device: sizes, type, layout and operands.
///
/// Shapes   a, b as stored, transposes applied; c the sums to add to, or empty
struct ProductCase {
  Product shape;  ///< without addresses
  std::vector<std::byte> a, b, c;

  std::string text() const;  ///< for INFO
};

/// The kind of a case's operands.
enum class Operands {
  kOrdinary,  ///< RandomMatrix: 16 binades, no special values
  kAnyBits,   ///< every bit pattern: NaN, infinities, subnormals and zeros too
};

ProductCase make_case(const Product& shape, std::uint64_t seed,
                      Operands operands = Operands::kOrdinary);

/// C's bytes after running the product alone on a device.
std::vector<std::byte> run_case(const ProductCase& product, const Device& device);

/// The bits that a bit-exact device with this array must give: hls/reference on untransposed
/// operands.
std::vector<std::byte> reference_case(const ProductCase& product, int array_size);

/// The product in double and, for each element, the sum of magnitudes that bounds its error.
struct ExactProduct {
  std::vector<double> values, magnitudes;
};
ExactProduct exact_case(const ProductCase& product);

/// {1, N-1, N, N+1, 2N+1}, each of the three dimensions, transposes, types and accumulate: every
/// combination, or `sample` of them drawn from the seed.
std::vector<Product> conformance_shapes(int array_size, std::uint64_t seed, std::size_t sample = 0);

}  // namespace systole::tests
