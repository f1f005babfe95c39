#include "sim/model/patched.h"

#include <algorithm>
#include <cstring>

namespace systole {
namespace {

template <std::size_t kBytes>
void copy_ends(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::byte first[kBytes], last[kBytes];
  std::memcpy(first, from, kBytes);
  std::memcpy(last, from + bytes - kBytes, kBytes);
  std::memcpy(to, first, kBytes);
  std::memcpy(to + bytes - kBytes, last, kBytes);
}

/// memcpy, whose call takes longer than a short line of pixels.
void copy_line(std::byte* to, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kMost = 512;
  if (bytes > kMost) {
    std::memcpy(to, from, bytes);
  } else if (bytes >= 64) {
    for (std::size_t at = 0; at + 64 < bytes; at += 64) std::memcpy(to + at, from + at, 64);
    std::memcpy(to + bytes - 64, from + bytes - 64, 64);
  } else if (bytes >= 32) {
    copy_ends<32>(to, from, bytes);
  } else if (bytes >= 16) {
    copy_ends<16>(to, from, bytes);
  } else if (bytes >= 8) {
    copy_ends<8>(to, from, bytes);
  } else if (bytes >= 4) {
    copy_ends<4>(to, from, bytes);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
}

}  // namespace

Patched::Patched(const Product& product)
    : shape_(device::decode_load_patches(product.patches)),
      images_((product.transpose_a ? product.depth : product.rows) /
              (std::int64_t{shape_.out_height} * shape_.out_width)) {}

void Patched::gather(const std::byte* images, std::int64_t first, std::int64_t count,
                     std::int64_t line_stride, std::int64_t row_bytes, int threads,
                     std::byte* to) const {
  constexpr std::int64_t kWorthThreads = 1 << 16;  // bytes
  const std::int64_t width = shape_.out_width;
  const std::int64_t positions = shape_.out_height * width;
  const std::int64_t first_row = first / width, last_row = (first + count - 1) / width;
#pragma omp parallel for num_threads(threads) if (threads > 1 && count * row_bytes > kWorthThreads)
  for (std::int64_t row = first_row; row <= last_row; ++row) {
    const std::int64_t begin = std::max(row * width, first);
    const std::int64_t end = std::min((row + 1) * width, first + count);
    const std::byte* const image = images + begin / positions * image_bytes();
    const std::int64_t top = row % shape_.out_height * shape_.stride - shape_.pad_top;
    for (std::int64_t patch = begin; patch < end; ++patch) {
      const std::int64_t left = (patch - row * width) * shape_.stride - shape_.pad_left;
      gather_one(image, top, left, line_stride, row_bytes, to + (patch - first) * row_bytes);
    }
  }
}

void Patched::gather_one(const std::byte* image, std::int64_t top, std::int64_t left,
                         std::int64_t line_stride, std::int64_t row_bytes, std::byte* to) const {
  const std::int64_t pixel = shape_.pixel_bytes;
  const std::int64_t start = std::max<std::int64_t>(left, 0);
  const std::int64_t end = std::min<std::int64_t>(left + shape_.kernel_width, shape_.width);
  const auto zero = [](std::byte* at, std::byte* until) {
    if (at != until) std::memset(at, 0, static_cast<std::size_t>(until - at));
  };
  std::byte* done = to;
  for (std::int64_t i = 0; i < shape_.kernel_height; ++i) {
    const std::int64_t y = top + i;
    if (y < 0 || y >= shape_.height || start >= end) continue;
    std::byte* const line = to + i * line_stride + (start - left) * pixel;
    zero(done, line);
    const std::int64_t bytes = (end - start) * pixel;
    copy_line(line, image + (y * shape_.width + start) * pixel, static_cast<std::size_t>(bytes));
    done = line + bytes;
  }
  zero(done, to + row_bytes);
}

}  // namespace systole
