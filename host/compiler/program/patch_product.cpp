#include "host/compiler/program/patch_product.h"

#include <algorithm>

#include "host/compiler/program/product_programs.h"
#include "host/cpu/parallel.h"
#include "host/device/convert.h"
#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

using std::int64_t;

template <typename T>
void lay_out(const graph::Images& images, const T* from, int64_t count, T* patches, int threads) {
  const int64_t size = images.positions() * images.patch();
  graph::for_each_part(threads, count, [&](int64_t i) {
    images.lay_out(from + i * images.size(), 0, images.positions(), patches + i * size);
  });
}

}  // namespace

PatchProduct::PatchProduct(ProductPrograms& programs, const graph::ImageConvolution& convolution,
                           int64_t most_values)
    : kind_(convolution.kind), images_(convolution.images), filters_(convolution.filters) {
  const int64_t positions = images_.positions();
  const int64_t most = std::max<int64_t>(
      1, std::min(most_values / (positions * images_.patch()), kMaxInt8Depth / positions));
  const int64_t count = ceil_div(images_.batch, most);
  for (int64_t i = 0; i < count; ++i) {
    parts_.push_back(images_.batch * (i + 1) / count - images_.batch * i / count);
    auto& program = programs_[parts_.back()];
    if (!program) {
      const auto matrices = product_of_matrices(form(parts_.back()), graph::Element::kF32);
      program = programs.compile(*matrices);
    }
  }
}

graph::DotForm PatchProduct::form(int64_t images) const {
  const int64_t rows = images * images_.positions();
  switch (kind_) {
    case Kind::kForward:
      return {.rows = rows, .depth = images_.patch(), .cols = filters_};
    case Kind::kInputGradient:
      return {.rows = rows, .depth = filters_, .cols = images_.patch(), .transpose_b = true};
    case Kind::kKernelGradient:
      return {.rows = images_.patch(), .depth = rows, .cols = filters_, .transpose_a = true};
  }
  return {};
}

// Rounded before they are laid out: patches hold each value once for each tap of its windows.
void PatchProduct::write_patches(ProductProgram& program, const float* x, int64_t images,
                                 int threads) {
  if (!program.takes_rounded()) {
    patches_.resize(static_cast<std::size_t>(images * images_.positions() * images_.patch()));
    lay_out(images_, x, images, patches_.data(), threads);
    return program.write_a(patches_.data());
  }
  rounded_.resize(static_cast<std::size_t>(images * images_.size()));
  convert_to_bf16({x, rounded_.size()}, rounded_);
  program.write_a([&](std::span<std::uint16_t> words) {
    lay_out<std::uint16_t>(images_, rounded_.data(), images, words.data(), threads);
  });
}

void PatchProduct::add_images(const float* patches, float* d_x, int64_t images, int threads) const {
  graph::for_each_part(threads, images, [&](int64_t i) {
    images_.add_back(patches + i * images_.positions() * images_.patch(), d_x + i * images_.size());
  });
}

void PatchProduct::run(const float* left, const float* right, float* result, int threads) {
  const int64_t outputs = images_.positions() * filters_;  // of an image
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const int64_t images = parts_[i];
    ProductProgram& program = *programs_.at(images);
    if (kind_ == Kind::kInputGradient) {
      program.write_a(left);
      program.write_b(right);
      program.run();
      add_images(program.result(), result, images, threads);
      left += images * outputs;
      result += images * images_.size();
      continue;
    }
    write_patches(program, left, images, threads);
    program.write_b(right);
    program.run();
    left += images * images_.size();
    if (kind_ == Kind::kForward) {
      program.read(result);
      result += images * outputs;
      continue;
    }
    right += images * outputs;
    const float* sums = program.result();
    const int64_t count = images_.patch() * filters_;
    if (i == 0) {
      std::copy_n(sums, count, result);
    } else {
      std::transform(sums, sums + count, result, result, std::plus<>());
    }
  }
}

}  // namespace systole::lowering
