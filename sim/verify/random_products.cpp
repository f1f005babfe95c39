// The products and stores of a random program.
#include <algorithm>

#include "host/device/element_size.h"
#include "sim/verify/program_writer.h"

namespace systole::verify {
using device::LoadBuffer;
using device::LoadType;
using device::StoreFormat;

ProgramWriter::Region ProgramWriter::operand_region(Operands& operands, LoadBuffer buffer,
                                                    LoadType type, Extent least) {
  const auto intact = [&](const Region& region) {
    for (int t = 0; t < region.words; ++t) {
      for (int m = 0; m < region.rows; ++m) {
        const auto word = static_cast<std::size_t>(region.row + t * region.stride + m);
        if (operands.region_of[word % operands.region_of.size()] != region.id) return false;
      }
    }
    return true;
  };
  // One of the last few still in the buffer, or else a new one.
  const std::size_t count = operands.regions.size();
  for (int attempt = 0; attempt < 4 && count != 0; ++attempt) {
    const auto back = random_.below(static_cast<std::uint32_t>(std::min<std::size_t>(count, 6)));
    const Region& region = operands.regions[count - 1 - back];
    const bool suffices = region.rows >= least.rows && region.words >= least.words;
    if (region.type == type && suffices && intact(region)) return region;
  }
  do {
    const int words = least.words - 1 + small(4);
    add_load(buffer, type, least.rows + small(3 * size_) - 1,
             (words - 1) * size_ + random_.between(1, size_));
  } while (operands.regions.size() == count);
  return operands.regions.back();
}

ProgramWriter::Side ProgramWriter::cut_a(const Region& region, bool transposed, Extent least) {
  const int t = random_.between(0, region.words - least.words);
  const int m = random_.between(0, region.rows - least.rows);
  const int along = (region.words - 1 - t) * size_ + region.tail;
  return {.row = region.row + t * region.stride + m,
          .tile_stride = region.stride,
          .lines = transposed ? small((region.words - t) * size_) : small(region.rows - m),
          .depth = transposed ? region.rows - m : along,
          .transposed = transposed};
}

ProgramWriter::Side ProgramWriter::cut_b(const Region& region, bool transposed, Extent least) {
  const int t = random_.between(0, region.words - least.words);
  const int m = random_.between(0, region.rows - least.rows);
  const int along = (region.words - 1 - t) * size_ + region.tail;
  return {.row = region.row + t * region.stride + m,
          .tile_stride = region.stride,
          .lines = size_,
          .depth = transposed ? along : region.rows - m,
          .transposed = transposed};
}

void ProgramWriter::add_matmul() {
  const bool is_int8 = chance(128);
  const LoadType type = is_int8 ? LoadType::kInt8 : LoadType::kBf16;
  const bool transpose_a = chance(128), transpose_b = chance(128);
  // Operands are mostly too short for more than one tile. N = 4 keeps this, so that recorded seeds
  // stay valid.
  const int tiles = size_ != 4 && chance(96) ? random_.between(2, 4) : 1;
  const int depth = (tiles - 1) * size_ + 1;
  const Extent least_a = transpose_a ? Extent{depth, 1} : Extent{1, tiles};
  const Extent least_b = transpose_b ? Extent{size_, tiles} : Extent{depth, 1};
  const Region a_region = operand_region(rows_, LoadBuffer::kRows, type, least_a);
  const Region b_region = operand_region(weights_, LoadBuffer::kWeights, type, least_b);
  multiply(cut_a(a_region, transpose_a, least_a), cut_b(b_region, transpose_b, least_b), is_int8,
           tiles);
}

void ProgramWriter::multiply(const Side& a, const Side& b, bool is_int8, int least_tiles) {
  const int depth = std::min(a.depth, b.depth);
  const int tiles = random_.between(least_tiles, std::min(6, (depth + size_ - 1) / size_));
  int last_depth = std::min(size_, depth - (tiles - 1) * size_);
  // Only a plain B is zeroed beyond last_depth; elsewhere the depth must end there.
  if (!b.transposed && chance(60)) last_depth = random_.between(1, last_depth);
  const bool ends_with_b = b.transposed && b.depth - (tiles - 1) * size_ > last_depth;
  const bool ones_row = !ends_with_b && chance(60);

  device::Matmul product{.a_row = static_cast<std::uint16_t>(a.row),
                         .b_row = static_cast<std::uint16_t>(b.row),
                         .sum_row = random_.bits16(),
                         .is_int8 = is_int8,
                         .transpose_a = a.transposed,
                         .transpose_b = b.transposed,
                         .ones_row = ones_row};
  const int lines = a.lines + (ones_row ? 1 : 0);
  if (!sums_.empty() && chance(150)) {
    const auto& block = sums_[random_.below(static_cast<std::uint32_t>(sums_.size()))];
    product.sum_row = static_cast<std::uint16_t>(block.row + random_.between(0, block.count - 1));
    product.accumulate = true;
    for (int m = 0; m < lines; ++m) {
      product.accumulate =
          product.accumulate && sums_known_[(product.sum_row + m) % sums_known_.size()];
    }
  }

  add_product(a, b, {.word = product, .lines = lines, .tiles = tiles, .last_depth = last_depth});
}

void ProgramWriter::add_product(const Side& a, const Side& b, const Product& which) {
  const auto& [product, lines, tiles, last_depth] = which;
  Needs needs = kNoNeeds;
  const auto each_use = [&](auto&& row, auto&& weight, auto&& sum) {
    for (int t = 0; t < tiles; ++t) {
      const int elements = t + 1 == tiles ? last_depth : size_;
      for (int m = 0; m < a.lines && !a.transposed; ++m) row(a.row + t * a.tile_stride + m);
      for (int block = 0; block * size_ < a.lines && a.transposed; ++block) {
        for (int k = 0; k < elements; ++k) row(a.row + block * a.tile_stride + t * size_ + k);
      }
      for (int i = 0; i < (b.transposed ? size_ : elements); ++i) {
        weight(b.row + t * (b.transposed ? b.tile_stride : size_) + i);
      }
    }
    for (int m = 0; m < lines; ++m) sum(product.sum_row + m);
  };
  const auto need = [&](const UseMap& uses) {
    return [&](int place) { uses.add_needs(static_cast<std::size_t>(place), needs); };
  };
  const bool adds = product.accumulate || tiles > 1;
  each_use(need(rows_.uses), need(weights_.uses), [&](int place) {
    need(sum_uses_)(place);
    bank_writes_.add_needs(bank_of(place), needs);
    if (adds) bank_reads_.add_needs(bank_of(place), needs);
  });
  add_shape(matmul_shape_,
            device::encode(device::MatmulShape{
                .rows = static_cast<std::uint16_t>(a.lines),
                .a_tile_stride = static_cast<std::uint16_t>(a.tile_stride),
                .b_tile_stride =
                    b.transposed ? static_cast<std::uint16_t>(b.tile_stride) : random_.bits16(),
                .tiles = static_cast<std::uint16_t>(tiles),
                .last_depth = static_cast<std::uint8_t>(last_depth)}));
  const int command = planner_.add(kCompute, device::encode(product), needs);
  const auto use = [&](UseMap& uses) {
    return
        [&, command](int place) { uses.use(static_cast<std::size_t>(place), kCompute, command); };
  };
  each_use(use(rows_.uses), use(weights_.uses), [&](int place) {
    use(sum_uses_)(place);
    bank_writes_.use(bank_of(place), kCompute, command);
    if (adds) bank_reads_.use(bank_of(place), kCompute, command);
  });
  for (int m = 0; m < lines; ++m) sums_known_[(product.sum_row + m) % sums_known_.size()] = true;
  sums_.push_back({.row = product.sum_row, .count = lines});
}

/// A product of few rows and two tiles that starts only when the weights of both are in the array:
/// the second tile then waits for sums of the first in every clock. Loads come early, and a long
/// store reads the rows that the product writes.
void ProgramWriter::add_product_that_waits_for_sums() {
  const bool is_int8 = chance(128);
  const LoadType type = is_int8 ? LoadType::kInt8 : LoadType::kBf16;
  const auto load_operands = [&](Operands& operands, LoadBuffer buffer, int rows, int cols) {
    const std::size_t count = operands.regions.size();
    while (operands.regions.size() == count) add_load(buffer, type, rows, cols);
    return operands.regions.back();
  };
  const int lines = random_.between(1, 4);
  const Region a = load_operands(rows_, LoadBuffer::kRows, lines, 2 * size_);
  const Region b = load_operands(weights_, LoadBuffer::kWeights, 2 * size_, size_);
  constexpr int kStored = 128;
  sums_.clear();
  while (sums_.empty()) add_load(LoadBuffer::kAccumulators, LoadType::kWord32, kStored, size_);
  const Rows sums = sums_.back();
  do {
    add_store(sums, layout_.outputs, kNoNeeds);
  } while (!store_shape_ || device::decode_store_shape(*store_shape_).rows < kStored);
  add_product({.row = a.row, .tile_stride = a.stride, .lines = lines, .depth = 2 * size_},
              {.row = b.row, .tile_stride = b.stride, .lines = size_, .depth = 2 * size_},
              {.word = {.a_row = static_cast<std::uint16_t>(a.row),
                        .b_row = static_cast<std::uint16_t>(b.row),
                        .sum_row = static_cast<std::uint16_t>(sums.row +
                                                              random_.between(0, kStored - lines)),
                        .is_int8 = is_int8,
                        .accumulate = chance(128)},
               .lines = lines,
               .tiles = 2,
               .last_depth = size_});
}

void ProgramWriter::add_store() {
  while (sums_.empty()) add_load(LoadBuffer::kAccumulators);
  const auto recent = static_cast<std::uint32_t>(std::min<std::size_t>(sums_.size(), 8));
  const Rows block = sums_[sums_.size() - 1 - random_.below(recent)];
  const int skip = random_.between(0, block.count - 1);
  add_store({.row = block.row + skip, .count = small(block.count - skip)}, layout_.outputs,
            kNoNeeds);
}

void ProgramWriter::add_scale() {
  const bool seeds = !stochastic_seeded_ || chance(60);
  const bool ordinary = chance(180);  // near 1; else random bits
  add_shape(store_scale_,
            device::encode(device::StoreScale{
                .scale = ordinary ? static_cast<std::uint16_t>(0x3c00 + random_.below(0x800))
                                  : random_.bits16(),
                .shift = static_cast<std::uint8_t>(random_.below(32)),
                .seed = seeds ? random_.bits32() | 1 : 0}));
  stochastic_seeded_ = true;
}

void ProgramWriter::add_store(Rows sums, const Block& block, Needs needs) {
  if (!store_scale_ || chance(60)) add_scale();
  device::Store store{.sum_row = static_cast<std::uint16_t>(sums.row),
                      .mask_row = random_.bits16(),
                      .format = static_cast<StoreFormat>(random_.below(6)),
                      .relu = chance(80)};
  if (!masks_.empty() && chance(120)) {
    const Rows masks = masks_[random_.below(static_cast<std::uint32_t>(masks_.size()))];
    const int skip = random_.between(0, masks.count - 1);
    sums.count = std::min(sums.count, masks.count - skip);
    store.mask_row = static_cast<std::uint16_t>(masks.row + skip);
    store.masked = true;
  }
  // A store outside the outputs is meant to fail in its first row, whatever its order.
  const bool fails = block.base != layout_.outputs.base;
  const int cols = fails || chance(128) ? size_ : random_.between(1, size_);
  const std::uint32_t row_bytes = static_cast<std::uint32_t>(cols * stored_bytes(store.format));
  const std::uint32_t strides[] = {row_bytes, row_bytes + random_.below(40),
                                   random_.below(row_bytes + 1)};
  const std::uint32_t stride = strides[chance(40) ? 2 : random_.below(2)];
  const std::uint64_t extent = static_cast<std::uint64_t>(sums.count - 1) * stride + row_bytes;
  if (extent > block.size) return;
  store.address = fails ? block.base : pick_address(extent, true);
  if (!fails) memory_needs(store.address, extent, needs);
  for (int m = 0; m < sums.count; ++m) {
    sum_uses_.add_needs(static_cast<std::size_t>(store.sum_row + m), needs);
    bank_reads_.add_needs(bank_of(store.sum_row + m), needs);
    if (store.masked) mask_uses_.add_needs(static_cast<std::size_t>(store.mask_row + m), needs);
  }
  add_shape(store_shape_,
            device::encode(device::StoreShape{.rows = static_cast<std::uint16_t>(sums.count),
                                              .cols = static_cast<std::uint8_t>(cols),
                                              .row_stride = stride}));
  const int command = planner_.add(kStore, device::encode(store), needs);
  if (!fails) use_memory(store.address, extent, kStore, command);
  for (int m = 0; m < sums.count; ++m) {
    sum_uses_.use(static_cast<std::size_t>(store.sum_row + m), kStore, command);
    bank_reads_.use(bank_of(store.sum_row + m), kStore, command);
    if (store.masked) mask_uses_.use(static_cast<std::size_t>(store.mask_row + m), kStore, command);
  }
}

}  // namespace systole::verify
