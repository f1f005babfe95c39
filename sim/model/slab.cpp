#include "sim/model/slab.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace systole {
namespace {

/// A result of this size is not in a cache when it is read again; written past them, its lines are
/// not read first.
constexpr std::int64_t kStreamedBytes = std::int64_t{4} << 20;

/// A slab's lines of one side, first .. first + count - 1, without the padding of its panels.
struct Extent {
  std::int64_t first, count;
};

Extent extent(const Lines& lines, std::int64_t first_panel, std::int64_t panels, int width) {
  const std::int64_t first = first_panel * width;
  return {first, std::min(panels * width, lines.count - first)};
}

}  // namespace

void SlabProduct::multiply(const Slab& slab, const SlabSpace& space) const {
  if (path.start != nullptr) start_sums(slab, space);
  for (std::int64_t step = 0; step < steps; step += kChunkSteps) add_chunk(slab, space, step);
  finish_sums(slab, space);
  // What was streamed must be seen by whoever hears that this thread is done.
  if (direct_part(slab).streams) std::atomic_thread_fence(std::memory_order_seq_cst);
}

void SlabProduct::start_sums(const Slab& slab, const SlabSpace& space) const {
  const Extent a = extent(sides.a, slab.first_a, slab.a_panels, kPanelRows);
  const Extent b = extent(sides.b, slab.first_b, slab.b_panels, kernels.wide.cols);
  const std::int64_t stride = slab.b_panels * kernels.wide.cols;
  const auto at = [&](std::int64_t row, std::int64_t col) {
    return path.start + (row * path.start_stride + col) * kSumSizeBytes;
  };
  for (std::int64_t i = 0; i < a.count; ++i) {
    std::uint32_t* sums = space.sums + i * stride;
    if (!sides.transposed) {
      std::memcpy(sums, at(a.first + i, b.first),
                  static_cast<std::size_t>(b.count * kSumSizeBytes));
    } else {
      for (std::int64_t j = 0; j < b.count; ++j) {
        std::memcpy(sums + j, at(b.first + j, a.first + i), sizeof *sums);
      }
    }
    // The padding takes part in the computation, but its results are ignored.
    std::fill(sums + b.count, sums + stride, 0U);
  }
  std::fill(space.sums + a.count * stride, space.sums + slab.a_panels * kPanelRows * stride, 0U);
}

SlabProduct::Direct SlabProduct::direct_part(const Slab& slab) const {
  const bool needs_sums = steps > kChunkSteps || sides.transposed || path.start != nullptr ||
                          path.relu || path.mask != nullptr ||
                          path.format != device::StoreFormat::kWord32;
  if (needs_sums) return {};
  const Extent a = extent(sides.a, slab.first_a, slab.a_panels, kPanelRows);
  const Extent b = extent(sides.b, slab.first_b, slab.b_panels, kernels.wide.cols);
  const std::int64_t last = b.count % kernels.wide.cols;
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(path.c) % 64 == 0 && cols * kSumSizeBytes % 64 == 0;
  return {.rows = a.count / kPanelRows * kPanelRows,
          .cols = last == kernels.narrow.cols ? b.count : b.count - last,
          .streams = is_aligned && sides.a.count * cols * kSumSizeBytes >= kStreamedBytes};
}

void SlabProduct::add_chunk(const Slab& slab, const SlabSpace& space,
                            std::int64_t first_step) const {
  const std::int64_t count = std::min(kChunkSteps, steps - first_step);
  const std::int64_t stride = slab.b_panels * kernels.wide.cols;
  const bool has_offsets = sides.a.words == PanelWords::kInt8Quads;
  const Extent lines = extent(sides.a, slab.first_a, slab.a_panels, kPanelRows);
  const Extent cols_here = extent(sides.b, slab.first_b, slab.b_panels, kernels.wide.cols);
  const Lines b = sides.b.steps_from(first_step, count);
  const Strides a = pack_lines(sides.a.steps_from(first_step, count), lines.first, lines.count,
                               count, has_offsets ? 0x8080'8080U : 0U, space.a);
  const Direct direct = direct_part(slab);
  for (std::int64_t col = 0; col < cols_here.count; col += kernels.wide.cols) {
    const bool is_narrow = cols_here.count - col <= kernels.narrow.cols;
    const BlockShape& shape = is_narrow ? kernels.narrow : kernels.wide;
    pack_panel(b, cols_here.first + col, shape.cols, count, space.b);
    if (has_offsets) shape.int8_offsets(space.b, count, space.offsets);
    std::uint32_t b_exponent = 0;
    for (std::int64_t row = 0; row < lines.count; row += shape.rows) {
      Block block{.a = space.a + row * a.line,
                  .a_row = a.line,
                  .a_step = a.step,
                  .b = space.b,
                  .steps = count,
                  .tile_steps = tile_steps,
                  .c = space.sums + row * stride + col,
                  .c_stride = stride,
                  .overwrite = first_step == 0 && path.start == nullptr,
                  .b_offsets = space.offsets,
                  .b_exponent = &b_exponent};
      if (row < direct.rows && col < direct.cols) {
        block.c = reinterpret_cast<std::uint32_t*>(path.c) + (lines.first + row) * cols +
                  cols_here.first + col;
        block.c_stride = cols;
        block.streams = direct.streams;
      }
      is_bf16(sides.a.words) ? shape.bf16(block) : shape.int8(block);
    }
  }
}

void SlabProduct::finish_sums(const Slab& slab, const SlabSpace& space) const {
  const Extent a = extent(sides.a, slab.first_a, slab.a_panels, kPanelRows);
  const Extent b = extent(sides.b, slab.first_b, slab.b_panels, kernels.wide.cols);
  const std::int64_t stride = slab.b_panels * kernels.wide.cols;
  if (!sides.transposed) {
    const Direct direct = direct_part(slab);
    for (std::int64_t i = 0; i < a.count; ++i) {
      const std::int64_t from = i < direct.rows ? direct.cols : 0;
      if (from == b.count) continue;
      finish_row(space.sums + i * stride + from, a.first + i, b.first + from, b.count - from);
    }
    return;
  }
  for (std::int64_t j = 0; j < b.count; ++j) {
    for (std::int64_t i = 0; i < a.count; ++i) space.row[i] = space.sums[i * stride + j];
    finish_row(space.row, b.first + j, a.first, a.count);
  }
}

void SlabProduct::finish_row(std::uint32_t* sums, std::int64_t row, std::int64_t col,
                             std::int64_t count) const {
  using device::StoreFormat;
  const RowKernels& rows = kernels.rows;
  const std::int64_t at = row * cols + col;
  if (path.relu) rows.relu(sums, count);
  if (path.mask != nullptr && path.mask_type == DataType::kInt8) {
    rows.keep_int8(reinterpret_cast<const std::int8_t*>(path.mask) + at, sums, count);
  } else if (path.mask != nullptr) {
    rows.keep_bf16(reinterpret_cast<const std::uint16_t*>(path.mask) + at, sums, count);
  }
  switch (path.format) {
    case StoreFormat::kBf16:
      return rows.to_bf16(sums, reinterpret_cast<std::uint16_t*>(path.c) + at, count);
    case StoreFormat::kInt8FromFp32:
      return rows.quantize(sums, path.scale, reinterpret_cast<std::int8_t*>(path.c) + at, count);
    case StoreFormat::kInt8FromInt32:
      return rows.requantize(sums, path.scale, path.shift,
                             reinterpret_cast<std::int8_t*>(path.c) + at, count);
    case StoreFormat::kFp32FromInt32:
      return rows.int32_to_fp32(sums, reinterpret_cast<std::uint32_t*>(path.c) + at, count);
    case StoreFormat::kWord32:
    case StoreFormat::kBf16Stochastic:
      break;
  }
  std::memcpy(path.c + at * kSumSizeBytes, sums, static_cast<std::size_t>(count * kSumSizeBytes));
}

}  // namespace systole
