// The loads of a random program.
#include <algorithm>

#include "host/device/element_size.h"
#include "sim/verify/program_writer.h"

namespace systole::verify {
using device::LoadBuffer;
using device::LoadType;

void ProgramWriter::add_load(LoadBuffer buffer) {
  const LoadType narrow = chance(128) ? LoadType::kInt8 : LoadType::kBf16;
  const LoadType type = buffer == LoadBuffer::kAccumulators ? LoadType::kWord32 : narrow;
  const int words = small(5);
  const int cols = (words - 1) * size_ + (chance(128) ? size_ : random_.between(1, size_));
  const bool operands = buffer == LoadBuffer::kRows || buffer == LoadBuffer::kWeights;
  // Operands stored along the depth need as many rows as the array has.
  const int rows = operands && chance(160) ? size_ * small(3) + small(size_) - 1 : small(60);
  add_load(buffer, type, rows, cols);
}

void ProgramWriter::add_load(LoadBuffer buffer, LoadType type, int rows, int cols) {
  const auto bytes = static_cast<int>(loaded_bytes(type));
  const int words = (cols + size_ - 1) / size_;
  const Region region{.type = type,
                      .row = static_cast<int>(random_.bits16()),
                      .rows = rows,
                      .words = words,
                      .stride = words == 1 && chance(60) ? static_cast<int>(random_.bits16())
                                                         : rows + random_.between(0, 3),
                      .tail = cols - (words - 1) * size_,
                      .id = regions_++};
  const bool patches = chance(70);
  std::uint64_t extent = 0;
  device::LoadShape shape{.rows = static_cast<std::uint16_t>(rows),
                          .cols = static_cast<std::uint16_t>(cols),
                          .tile_stride = static_cast<std::uint16_t>(region.stride)};
  device::Load load{.row = static_cast<std::uint16_t>(region.row), .buffer = buffer, .type = type};
  const auto row_bytes = static_cast<std::uint32_t>(cols * bytes);
  if (patches) {
    const auto patch = random_patches(bytes * small(6));
    const int out_pixels = patch.out_height * patch.out_width;
    load.patches = true;
    load.out_y = static_cast<std::uint16_t>(random_.below(patch.out_height));
    load.out_x = static_cast<std::uint16_t>(random_.below(patch.out_width));
    const int last_pixel = load.out_y * patch.out_width + load.out_x + rows - 1;
    const std::uint32_t image_bytes = std::uint32_t{patch.height} * patch.width * patch.pixel_bytes;
    shape.row_stride = chance(30) ? 0 : image_bytes + random_.below(9);
    extent = static_cast<std::uint64_t>(last_pixel / out_pixels) * shape.row_stride + image_bytes;
    if (extent > layout_.outputs.size) return;
    add_shape(load_patches_, device::encode(patch));
  } else {
    const std::uint32_t strides[] = {0, row_bytes, row_bytes + random_.below(40),
                                     random_.below(row_bytes + 1)};
    shape.row_stride = strides[chance(40) ? 0 : random_.between(1, 3)];
    extent = static_cast<std::uint64_t>(rows - 1) * shape.row_stride + row_bytes;
    if (extent > layout_.outputs.size) return;
  }
  load.address = pick_address(extent, false);

  Needs needs = kNoNeeds;
  memory_needs(load.address, extent, needs);
  UseMap& uses = buffer == LoadBuffer::kRows      ? rows_.uses
                 : buffer == LoadBuffer::kWeights ? weights_.uses
                 : buffer == LoadBuffer::kMasks   ? mask_uses_
                                                  : sum_uses_;
  for (int t = 0; t < words; ++t) {
    for (int m = 0; m < rows; ++m) {
      const int row = region.row + t * region.stride + m;
      uses.add_needs(static_cast<std::size_t>(row), needs);
      if (buffer == LoadBuffer::kAccumulators) bank_writes_.add_needs(bank_of(row), needs);
    }
  }
  if (buffer == LoadBuffer::kAccumulators) order_sums_before_load(needs);
  add_shape(load_shape_, device::encode(shape));
  const int command = planner_.add(kLoad, device::encode(load), needs);
  use_memory(load.address, extent, kLoad, command);
  note_loaded(buffer, region, command);
}

/// A token from compute to load says that operands were read, not that sums were written. Ordering
/// a load of accumulator rows after the product that wrote them takes a store: it waits for
/// compute, and load waits for it.
void ProgramWriter::order_sums_before_load(Needs& needs) {
  if (needs[kCompute] < 0) return;
  int store = planner_.first_ordered_after(kStore, kCompute, needs[kCompute]);
  if (store < 0) {
    Needs all = kNoNeeds;
    all[kCompute] = needs[kCompute];
    add_store({.row = sums_.back().row, .count = 1}, layout_.outputs, all);
    store = planner_.size() - 1;
  }
  needs[kStore] = std::max(needs[kStore], store);
}

device::LoadPatches ProgramWriter::random_patches(int pixel_bytes) {
  const int most = chance(30) ? 15 : 4;
  const auto four_bits = [&](int low) {
    return static_cast<std::uint8_t>(random_.between(low, most));
  };
  device::LoadPatches patch{.height = static_cast<std::uint16_t>(random_.between(1, 12)),
                            .width = static_cast<std::uint16_t>(random_.between(1, 12)),
                            .pixel_bytes = static_cast<std::uint16_t>(pixel_bytes),
                            .kernel_height = four_bits(1),
                            .kernel_width = four_bits(1),
                            .stride = four_bits(1),
                            .pad_top = four_bits(0),
                            .pad_left = four_bits(0)};
  patch.out_height = static_cast<std::uint16_t>(random_.between(1, 9));
  patch.out_width = static_cast<std::uint16_t>(random_.between(1, 9));
  return patch;
}

void ProgramWriter::note_loaded(LoadBuffer buffer, const Region& region, int command) {
  const auto each_word = [&](auto&& note) {
    for (int t = 0; t < region.words; ++t) {
      for (int m = 0; m < region.rows; ++m) {
        note(static_cast<std::size_t>(region.row + t * region.stride + m));
      }
    }
  };
  const auto each_block = [&](std::vector<Rows>& blocks) {
    for (int t = 0; t < region.words; ++t) {
      blocks.push_back({.row = region.row + t * region.stride, .count = region.rows});
    }
  };
  switch (buffer) {
    case LoadBuffer::kRows:
    case LoadBuffer::kWeights: {
      Operands& operands = buffer == LoadBuffer::kRows ? rows_ : weights_;
      each_word([&](std::size_t word) {
        operands.uses.use(word, kLoad, command);
        operands.region_of[word % operands.region_of.size()] = region.id;
      });
      operands.regions.push_back(region);
      break;
    }
    case LoadBuffer::kAccumulators:
      each_word([&](std::size_t word) {
        sum_uses_.use(word, kLoad, command);
        bank_writes_.use(bank_of(static_cast<int>(word)), kLoad, command);
        sums_known_[word % sums_known_.size()] = true;
      });
      each_block(sums_);
      break;
    case LoadBuffer::kMasks:
      each_word([&](std::size_t word) { mask_uses_.use(word, kLoad, command); });
      each_block(masks_);
      break;
  }
}

}  // namespace systole::verify
