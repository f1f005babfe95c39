#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "host/compiler/program/product_program.h"
#include "host/cpu/images.h"

namespace systole::lowering {

class ProductPrograms;

/// A convolution whose patches this processor lays out, some images at a time, for products of
/// matrices on the device. The gradient of images is added back from that of patches, and the
/// kernel's is the sum of the parts', in f32, ascending.
///
/// Errors   as ProductProgram
class PatchProduct {
 public:
  static constexpr std::int64_t kMostValues = std::int64_t{1} << 23;  ///< of patches at a time

  /// most_values: of patches at a time, but at least one image's
  PatchProduct(ProductPrograms& programs, const graph::ImageConvolution& convolution,
               std::int64_t most_values = kMostValues);

  /// Operands and result as ImageConvolution has them.
  void run(const float* left, const float* right, float* result, int threads);

 private:
  using Kind = graph::ImageConvolution::Kind;

  graph::DotForm form(std::int64_t images) const;
  void write_patches(ProductProgram& program, const float* x, std::int64_t images, int threads);
  void add_images(const float* patches, float* d_x, std::int64_t images, int threads) const;

  Kind kind_;
  graph::Images images_;
  std::int64_t filters_;
  std::vector<std::int64_t> parts_;                                   ///< images of each
  std::map<std::int64_t, std::shared_ptr<ProductProgram>> programs_;  ///< by their images
  std::vector<std::uint16_t> rounded_;
  std::vector<float> patches_;
};

}  // namespace systole::lowering
