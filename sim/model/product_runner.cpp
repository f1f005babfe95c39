#include "sim/model/product_runner.h"

#include <algorithm>
#include <cstring>

#include "host/device/element_size.h"
#include "sim/model/patched.h"
#include "systole/support/ceil_div.h"

namespace systole {
namespace {

/// Patches that a thread gathers before it multiplies them.
constexpr std::int64_t kPatchBytes = 1 << 18;

/// Writes `count` ones of a type.
void fill_ones(DataType type, std::int64_t count, std::vector<std::byte>& ones) {
  if (type == DataType::kInt8) {
    ones.assign(static_cast<std::size_t>(count), std::byte{1});
    return;
  }
  constexpr std::uint16_t kOne = 0x3f80;
  ones.resize(static_cast<std::size_t>(count) * sizeof kOne);
  for (std::size_t i = 0; i < ones.size(); i += sizeof kOne)
    std::memcpy(&ones[i], &kOne, sizeof kOne);
}

}  // namespace

std::vector<MemoryRange> written_by(const Product& product) {
  std::vector<MemoryRange> ranges;
  for (const ProductSpan& span : spans(product)) {
    if (span.is_written) ranges.push_back(span.range);
  }
  return ranges;
}

bool ProductRunner::can_run(const ProductUnit& unit) const {
  if (unit.product.format == device::StoreFormat::kBf16Stochastic) return false;
  return std::ranges::all_of(spans(unit.product), [&](const ProductSpan& span) {
    return span.range.address % static_cast<std::uint64_t>(span.element_bytes) == 0 &&
           memory_->locate(span.range.address, span.range.size_bytes) != nullptr;
  });
}

/// The sums of one row of C to start from: the bias, which the array may have to add up from terms.
const std::byte* ProductRunner::start_of(const Product& product) {
  if (product.bias == 0) return nullptr;
  if (product.ones == 0) return memory_->locate(product.bias, product.cols * kSumSizeBytes);
  const Product shape{.rows = 1, .depth = kTerms, .cols = product.cols, .type = product.type};
  const std::byte* terms =
      memory_->locate(product.bias, kTerms * product.cols * operand_size_bytes(product.type));
  bias_.resize(static_cast<std::size_t>(product.cols));
  fill_ones(product.type, kTerms, ones_);
  std::byte* const bias = std::as_writable_bytes(std::span(bias_)).data();
  matmul_.multiply(shape, ones_.data(), terms, {.c = bias});
  return bias;
}

void ProductRunner::run(const ProductUnit& unit) {
  const Product& product = unit.product;
  const auto at = [&](std::uint64_t address, std::int64_t count, std::int64_t element_bytes) {
    return address == 0 ? nullptr : memory_->locate(address, count * element_bytes);
  };
  const std::int64_t element = operand_size_bytes(product.type);
  const std::int64_t area = product.rows * product.cols;
  SumsPath path{.start = start_of(product),
                .relu = product.relu,
                .mask = at(product.mask, area, operand_size_bytes(product.mask_type)),
                .mask_type = product.mask_type,
                .format = product.format,
                .scale = product.scale,
                .shift = product.shift,
                .c = at(product.c, area, stored_bytes(product.format))};
  if (product.accumulate) {
    path.start = path.c;
    path.start_stride = product.cols;
  }
  if (has_patches(product)) return run_patches(unit, path);
  const std::byte* a = at(product.a, product.rows * product.depth, element);
  const std::byte* b = at(product.b, product.depth * product.cols, element);
  matmul_.multiply(product, a, b, path);
  add_column_sums(product, product, b, false);
}

/// The array computes column sums with one more row of A, of ones.
void ProductRunner::add_column_sums(const Product& product, Product shape, const std::byte* b,
                                    bool goes_on) {
  if (product.column_sums == 0) return;
  std::byte* const sums = memory_->locate(product.column_sums, product.cols * kSumSizeBytes);
  fill_ones(product.type, shape.depth, ones_);
  shape.rows = 1;
  shape.transpose_a = false;
  matmul_.multiply(shape, ones_.data(), b, {.start = goes_on ? sums : nullptr, .c = sums});
}

// Patches are gathered some at a time, so that they stay in the cache: rows of C, or with
// transpose_a a part of the depth, whose sums go on from the part before.
void ProductRunner::run_patches(const ProductUnit& unit, const SumsPath& path) {
  const Product& product = unit.product;
  const Patched images(product);
  const std::int64_t element = operand_size_bytes(product.type);
  const std::int64_t stretch = unit.stretch > 0 ? unit.stretch : product.depth;
  const std::int64_t padded = ceil_div(stretch, array_size_) * array_size_;
  const std::int64_t stretches = product.depth / stretch;
  const std::byte* first = memory_->locate(product.a, images.images_bytes());
  const std::byte* b = memory_->locate(product.b, product.depth * product.cols * element);
  Product shape = product;
  if (!product.transpose_a) {
    shape.depth = stretches * padded;
    const std::int64_t b_lines = product.transpose_b ? product.cols : 1;
    const std::int64_t b_element = element * (product.transpose_b ? 1 : product.cols);
    b = padded_stretches(b, b_lines * stretches, stretch * b_element, padded * b_element);
    const std::int64_t row_bytes = shape.depth * element;
    const std::int64_t most = std::max<std::int64_t>(1, kPatchBytes * threads_ / row_bytes);
    const std::int64_t line_bytes = unit.stretch > 0 ? padded * element : images.line_bytes();
    for (std::int64_t row = 0; row < product.rows; row += most) {
      shape.rows = std::min(most, product.rows - row);
      patches_.resize(static_cast<std::size_t>(shape.rows * row_bytes));
      images.gather(first, row, shape.rows, line_bytes, row_bytes, threads_, patches_.data());
      SumsPath part = path;
      if (part.start_stride != 0) part.start += row * product.cols * kSumSizeBytes;
      if (part.mask != nullptr) {
        part.mask += row * product.cols * operand_size_bytes(product.mask_type);
      }
      part.c += row * product.cols * stored_bytes(product.format);
      matmul_.multiply(shape, patches_.data(), b, part);
    }
    return add_column_sums(product, shape, b, false);
  }
  const std::int64_t width = product.rows * element;
  const std::int64_t unit_rows = unit.stretch > 0 ? stretch : array_size_;
  const std::int64_t unit_padded = unit.stretch > 0 ? padded : array_size_;
  const std::int64_t most =
      std::max<std::int64_t>(1, kPatchBytes * threads_ / (unit_padded * width));
  sums_.resize(static_cast<std::size_t>(product.rows * product.cols));
  std::byte* const sums = std::as_writable_bytes(std::span(sums_)).data();
  for (std::int64_t done = 0; done < product.depth; done += most * unit_rows) {
    const std::int64_t count = std::min(most * unit_rows, product.depth - done);
    const std::int64_t parts = ceil_div(count, unit_rows);
    shape.depth = unit.stretch > 0 ? parts * padded : count;
    patches_.assign(static_cast<std::size_t>(shape.depth * width), std::byte{0});
    for (std::int64_t part = 0; part < parts; ++part) {
      const std::int64_t patch = done + part * unit_rows;
      images.gather(first, patch, std::min(unit_rows, product.depth - patch), images.line_bytes(),
                    width, threads_, patches_.data() + part * unit_padded * width);
    }
    const std::int64_t row_bytes = product.cols * element;
    const std::byte* rows = b + done * row_bytes;
    if (unit.stretch > 0) {
      rows = padded_stretches(rows, parts, stretch * row_bytes, padded * row_bytes);
    }
    const bool is_last = done + count == product.depth;
    SumsPath part = is_last ? path : SumsPath{.c = sums};
    part.start = done == 0 ? path.start : sums;
    part.start_stride = done == 0 ? path.start_stride : product.cols;
    matmul_.multiply(shape, patches_.data(), rows, part);
    add_column_sums(product, shape, rows, done > 0);
  }
}

/// `count` stretches of `bytes` each, with zeros up to `padded` bytes.
const std::byte* ProductRunner::padded_stretches(const std::byte* from, std::int64_t count,
                                                 std::int64_t bytes, std::int64_t padded) {
  if (bytes == padded) return from;
  padded_.assign(static_cast<std::size_t>(count * padded), std::byte{0});
  for (std::int64_t i = 0; i < count; ++i) {
    std::memcpy(&padded_[static_cast<std::size_t>(i * padded)], from + i * bytes,
                static_cast<std::size_t>(bytes));
  }
  return padded_.data();
}

}  // namespace systole
