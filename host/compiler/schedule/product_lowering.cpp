#include "host/compiler/schedule/product_lowering.h"

#include <algorithm>
#include <vector>

#include "host/compiler/schedule/patches.h"
#include "host/device/element_size.h"

namespace systole {
namespace {

using device::LoadBuffer;
using device::LoadType;

std::uint16_t u16(std::int64_t value) { return static_cast<std::uint16_t>(value); }
std::uint32_t u32(std::int64_t value) { return static_cast<std::uint32_t>(value); }

std::uint64_t at(std::uint64_t address, std::int64_t bytes) {
  return address + static_cast<std::uint64_t>(bytes);
}

LoadType load_type(DataType type) {
  return type == DataType::kInt8 ? LoadType::kInt8 : LoadType::kBf16;
}

}  // namespace

bool ProductLowering::add(const Product& product, const BlockPlan& plan, std::int64_t most_clocks,
                          std::int64_t clocks_to_come) {
  stored_.begin_product();
  patches_ = find_patches(product, sizes_);
  const device::CommandWord store = device::encode(device::Store{.format = product.format});
  const device::CommandWord scale = device::encode(device::StoreScale{.seed = product.seed});
  set_scale_ =
      product.seed != 0 || (device::shapes_needed_by(store) & device::shapes_set_by(scale)) != 0;
  const bool may_stop = most_clocks != kForever;
  if (may_stop) clocks_to_come += product_clocks(product, plan);
  for (const Group& group : groups_of(product, plan, sizes_)) {
    add_group(product, plan, group);
    if (!may_stop) continue;
    clocks_to_come -= product_clocks(product, group, patches_);
    const EngineTimes& times = streams_.times();
    const std::int64_t products_end = times.free(kProducts) + clocks_to_come;
    if (std::max(times.clocks(), products_end + EngineLatency::kStore) >= most_clocks) return false;
  }

  // The device's copies of the memory just written are stale.
  for (WordRing* ring : {&rows_, &weights_, &masks_}) {
    ring->forget(product.c,
                 at(product.c, product.rows * product.cols * stored_bytes(product.format)));
    if (product.column_sums != 0) {
      ring->forget(product.column_sums, at(product.column_sums, product.cols * 4));
    }
  }
  return true;
}

std::int32_t ProductLowering::add_vector(const Step& step, std::span<const MemorySpan> writes) {
  for (const MemorySpan& span : writes) {
    for (WordRing* ring : {&rows_, &weights_, &masks_}) ring->forget(span.first, span.end);
  }
  return streams_.add(kVectors, step);
}

std::int64_t ProductLowering::product_clocks(const Product& product, const Group& group,
                                             const std::optional<Patches>& patches) const {
  const std::int64_t n = sizes_.array_size;
  const std::int64_t rows = group.rows + (product.column_sums != 0 && group.row == 0 ? 1 : 0);
  const std::int64_t bias = product.ones != 0 ? std::max(rows, n) : 0;
  std::int64_t clocks = std::max(rows, n) * ceil_div(product.depth, n);
  if (patches && patches->by_lines()) {
    clocks = 0;
    if (product.transpose_a) {
      const std::int64_t lines = group.rows / patches->line_elements();
      clocks = lines * std::max(patches->line_elements(), n) * ceil_div(patches->positions(), n) *
               patches->images();
    } else {
      for (const Patches::Run& run : patches->runs(group.row, group.rows)) {
        clocks += patches->lines() * patches->line_tiles() * std::max(run.rows, n);
      }
    }
  }
  return (clocks + bias) * group.tiles;
}

std::int64_t ProductLowering::product_clocks(const Product& product, const BlockPlan& plan) const {
  const auto patches = find_patches(product, sizes_);
  std::int64_t clocks = 0;
  for (const Group& group : groups_of(product, plan, sizes_)) {
    clocks += product_clocks(product, group, patches);
  }
  return clocks;
}

void ProductLowering::add_group(const Product& product, const BlockPlan& plan, const Group& group) {
  if (plan.both_banks) next_bank_ = 0;
  Bank& bank = banks_[static_cast<std::size_t>(next_bank_)];
  Sums sums;
  sums.row = next_bank_ * sizes_.bank_stride;
  sums.ones_row = product.column_sums != 0 && group.row == 0;
  sums.tile_rows = group.rows + (sums.ones_row ? 1 : 0);
  sums.preloaded = (product.bias != 0 && product.ones == 0) || product.accumulate;
  sums.free_after = bank.stored_by;
  if (plan.both_banks) {
    for (const Bank& one : banks_) sums.free_after = std::max(sums.free_after, one.stored_by);
  }
  next_bank_ = 1 - next_bank_;

  const std::vector<Chunk> chunks = chunks_of(product, plan, sizes_, group.block_row == 0);
  sums.adds = sums.preloaded || product.ones != 0 || ceil_div(product.depth, sizes_.array_size) > 1;
  if (product.ones != 0) multiply_ones(product, group, sums);
  std::vector<std::int32_t> products(static_cast<std::size_t>(group.tiles));
  for (const Chunk& chunk : chunks) {
    WordRing::Block& b = b_block(product, group, chunk);
    WordRing::Block& a = a_block(product, group, chunk);
    if (chunk.first == 0 && sums.preloaded) preload(product, group, sums);
    const std::vector<Part> parts = parts_of(product, group, chunk, sums, a);
    for (std::int64_t column = 0; column < group.tiles; ++column) {
      for (const Part& part : parts) {
        products[static_cast<std::size_t>(column)] =
            multiply({.is_int8 = product.type == DataType::kInt8,
                      .transpose_a = product.transpose_a,
                      .transpose_b = product.transpose_b},
                     part, column, sums, a, b);
      }
    }
  }
  store(product, group, sums, products);
  bank.stored_by = streams_.last(kStores);
  if (plan.both_banks) banks_.fill(bank);
}

std::int64_t ProductLowering::tile_cols(const Product& product, std::int64_t tile,
                                        std::int64_t tiles) const {
  const std::int64_t n = sizes_.array_size;
  return std::min(product.cols, (tile + tiles) * n) - tile * n;
}

std::int64_t ProductLowering::beats(std::uint64_t address, std::int64_t bytes,
                                    std::int64_t stride) const {
  const std::int64_t beat = sizes_.beat_bytes();
  const auto offset = static_cast<std::int64_t>(address % static_cast<std::uint64_t>(beat));
  // Rows whose stride is not a multiple of a beat may begin anywhere in one.
  return ceil_div((stride % beat == 0 ? offset : beat / 2) + bytes, beat);
}

std::int32_t ProductLowering::load(const BlockKey& key, LoadBuffer buffer, LoadType type,
                                   std::uint16_t row, Step step) {
  step.shape = device::encode(device::LoadShape{.rows = u16(key.rows),
                                                .cols = u16(key.cols),
                                                .tile_stride = u16(key.tile_stride),
                                                .row_stride = u32(key.row_stride)});
  device::Load command{.address = key.address, .row = row, .buffer = buffer, .type = type};
  const std::int64_t row_bytes = key.cols * key.element_bytes;
  const std::int64_t words = ceil_div(key.cols, std::int64_t{sizes_.array_size});
  MemoryRows read{
      .address = key.address, .rows = key.rows, .row_bytes = row_bytes, .stride = key.row_stride};
  if (key.extent > 0) read = {.address = key.address, .row_bytes = key.extent};
  if (key.patches != device::CommandWord{}) {
    const device::LoadPatches patches = device::decode_load_patches(key.patches);
    command.patches = true;
    command.out_y = u16(key.first_patch / patches.out_width);
    command.out_x = u16(key.first_patch % patches.out_width);
    step.setting = key.patches;
    step.clocks = clocks_of_patches(patches, key.rows, words, sizes_);
  } else {
    step.clocks = key.rows * std::max(beats(key.address, row_bytes, key.row_stride), words);
  }
  step.command = device::encode(command);
  step.wait_for(kStores, stored_.last_store(read));
  return add(kLoads, step, read);
}

// A load or store after the steps of the vector engine that used its memory.
std::int32_t ProductLowering::add(Engine engine, Step& step, const MemoryRows& block) {
  if (uses_ == nullptr) return streams_.add(engine, step);
  const auto stride = static_cast<std::uint64_t>(block.rows > 1 ? block.stride : 0);
  const MemorySpan span{block.address, block.end(), stride};
  const std::span<const MemorySpan> used(&span, 1), none;
  const auto reads = engine == kLoads ? used : none, writes = engine == kLoads ? none : used;
  step.wait_for(kVectors, uses_->before(engine, reads, writes)[kVectors]);
  const std::int32_t number = streams_.add(engine, step);
  uses_->note(engine, number, reads, writes);
  return number;
}

WordRing::Block& ProductLowering::block(WordRing& ring, LoadBuffer buffer, const BlockKey& key,
                                        std::int64_t words, LoadType type) {
  if (WordRing::Block* here = ring.find(key)) return *here;
  std::int32_t last_use = Step::kNothing;
  WordRing::Block& placed = ring.place(key, words, last_use);
  Step step;
  step.wait_for(buffer == LoadBuffer::kMasks ? kStores : kProducts, last_use);
  placed.loaded_by = load(key, buffer, type, ring.row(placed), step);
  return placed;
}

WordRing::Block& ProductLowering::a_block(const Product& product, const Group& group,
                                          const Chunk& chunk) {
  const std::int64_t n = sizes_.array_size;
  BlockKey key{.element_bytes = operand_size_bytes(product.type)};
  std::int64_t words = 0;
  if (product.transpose_a) {
    key.rows = chunk.depth;
    key.cols = group.block_rows;
    key.row_stride = product.rows * key.element_bytes;
    key.tile_stride = chunk.tiles * n;
    key.address = at(product.a, chunk.first * key.row_stride + group.block_row * key.element_bytes);
    words = ceil_div(group.block_rows, n) * key.tile_stride;
  } else {
    key.rows = group.block_rows;
    key.cols = chunk.depth;
    key.row_stride = product.depth * key.element_bytes;
    key.tile_stride = group.block_rows;
    key.address = at(product.a, group.block_row * key.row_stride + chunk.first * key.element_bytes);
    words = chunk.tiles * key.tile_stride;
  }
  if (patches_) {
    const std::int64_t pixel = product.transpose_a ? chunk.first : group.block_row;
    const std::int64_t element = product.transpose_a ? group.block_row : chunk.first;
    patches_->cut(pixel, element, key);
    if (patches_->by_lines()) {
      key.tile_stride = key.rows;
      words = patches_->line_tiles() * key.rows;
    }
  }
  return block(rows_, LoadBuffer::kRows, key, words, load_type(product.type));
}

WordRing::Block& ProductLowering::b_block(const Product& product, const Group& group,
                                          const Chunk& chunk) {
  const std::int64_t n = sizes_.array_size;
  const std::int64_t cols = tile_cols(product, group.tile, group.tiles);
  BlockKey key{.element_bytes = operand_size_bytes(product.type)};
  if (product.transpose_b) {
    key.rows = cols;
    key.cols = chunk.depth;
    key.row_stride = product.depth * key.element_bytes;
    key.tile_stride = group.tiles * n;
    key.address = at(product.b, group.tile * n * key.row_stride + chunk.first * key.element_bytes);
  } else {
    key.rows = chunk.depth;
    key.cols = cols;
    key.row_stride = product.cols * key.element_bytes;
    key.tile_stride = chunk.tiles * n;
    key.address = at(product.b, chunk.first * key.row_stride + group.tile * n * key.element_bytes);
  }
  return block(weights_, LoadBuffer::kWeights, key, group.tiles * chunk.tiles * n,
               load_type(product.type));
}

void ProductLowering::preload(const Product& product, const Group& group, Sums& sums) {
  const std::int64_t n = sizes_.array_size;
  const bool is_bias = product.bias != 0;
  BlockKey key{.rows = group.rows,
               .cols = tile_cols(product, group.tile, group.tiles),
               .row_stride = is_bias ? 0 : product.cols * 4,
               .tile_stride = sums.tile_rows,
               .element_bytes = 4};
  key.address = is_bias ? at(product.bias, group.tile * n * 4)
                        : at(product.c, group.row * key.row_stride + group.tile * n * 4);
  Step step;
  step.wait_for(kStores, sums.free_after);
  sums.preloaded_by = load(key, LoadBuffer::kAccumulators, LoadType::kWord32, u16(sums.row), step);
}

// The bias as a first tile of depth, of the terms that it is the sum of.
void ProductLowering::multiply_ones(const Product& product, const Group& group, const Sums& sums) {
  constexpr std::int64_t kBytes = 2;
  const std::int64_t n = sizes_.array_size;
  const BlockKey terms{.address = at(product.bias, group.tile * n * kBytes),
                       .rows = kTerms,
                       .cols = tile_cols(product, group.tile, group.tiles),
                       .row_stride = product.cols * kBytes,
                       .tile_stride = n,
                       .element_bytes = kBytes};
  const BlockKey ones{.address = product.ones,
                      .rows = group.block_rows,
                      .cols = kTerms,
                      .row_stride = kTerms * kBytes,
                      .tile_stride = group.block_rows,
                      .element_bytes = kBytes};
  WordRing::Block& b =
      block(weights_, LoadBuffer::kWeights, terms, group.tiles * n, LoadType::kBf16);
  WordRing::Block& a = block(rows_, LoadBuffer::kRows, ones, ones.rows, LoadType::kBf16);
  for (std::int64_t column = 0; column < group.tiles; ++column) {
    multiply({}, {.rows = group.rows, .tiles = 1, .depth = kTerms}, column, sums, a, b);
  }
}

std::vector<ProductLowering::Part> ProductLowering::parts_of(const Product& product,
                                                             const Group& group, const Chunk& chunk,
                                                             const Sums& sums,
                                                             const WordRing::Block& a) const {
  const std::int64_t n = sizes_.array_size;
  Part whole{.rows = group.rows,
             .tiles = chunk.tiles,
             .depth = chunk.depth,
             .adds = sums.preloaded || product.ones != 0 || chunk.first > 0,
             .ones_row = sums.ones_row};
  if (!patches_ || !patches_->by_lines()) {
    const std::int64_t below = group.row - group.block_row;  // rows of the block before the group's
    whole.a_row = product.transpose_a ? below / n * a.key.tile_stride : below;
    return {whole};
  }
  std::vector<Part> parts;
  if (!product.transpose_a) {
    const std::int64_t line = chunk.first / patches_->line_elements();
    const std::int64_t tile = chunk.first % patches_->line_elements() / n;
    for (const Patches::Run& run : patches_->runs(group.row, group.rows)) {
      Part part = whole;
      part.a_row = tile * a.key.tile_stride + run.row + line * patches_->line_rows();
      part.sum_row = run.first;
      part.rows = run.rows;
      part.ones_row = whole.ones_row && run.first + run.rows == group.rows;  // behind all rows
      parts.push_back(part);
    }
    return parts;
  }
  const std::int64_t lines = group.rows / patches_->line_elements();
  for (std::int64_t line = 0; line < lines; ++line) {
    Part part = whole;
    part.a_row = line * patches_->line_rows();
    part.sum_row = line * patches_->line_elements();
    part.rows = patches_->line_elements();
    part.ones_row = whole.ones_row && line == lines - 1;
    parts.push_back(part);
  }
  return parts;
}

std::int32_t ProductLowering::multiply(device::Matmul command, const Part& part,
                                       std::int64_t column, const Sums& sums, WordRing::Block& a,
                                       WordRing::Block& b) {
  const std::int64_t n = sizes_.array_size;
  command.a_row = u16(rows_.row(a) + part.a_row);
  command.b_row = u16(weights_.row(b) + column * (command.transpose_b ? n : b.key.tile_stride));
  command.sum_row = u16(sums.row + column * sums.tile_rows + part.sum_row);
  command.accumulate = part.adds;
  command.ones_row = part.ones_row;
  Step step;
  step.shape = device::encode(device::MatmulShape{
      .rows = u16(part.rows),
      .a_tile_stride = u16(a.key.tile_stride),
      .b_tile_stride = command.transpose_b ? u16(b.key.tile_stride) : std::uint16_t{0},
      .tiles = u16(part.tiles),
      .last_depth = static_cast<std::uint8_t>(part.depth - (part.tiles - 1) * n)});
  step.command = device::encode(command);
  step.clocks = std::max(part.rows + (part.ones_row ? 1 : 0), n) * part.tiles;
  step.wait_for(kLoads, std::max({a.loaded_by, b.loaded_by, sums.preloaded_by}));
  step.wait_for(kStores, sums.free_after);
  const std::int32_t index = streams_.add(kProducts, step);
  a.last_use = b.last_use = index;
  return index;
}

void ProductLowering::store(const Product& product, const Group& group, const Sums& sums,
                            std::span<const std::int32_t> products) {
  const std::int64_t n = sizes_.array_size;
  WordRing::Block* mask = nullptr;
  if (product.mask != 0) {
    const std::int64_t element = operand_size_bytes(product.mask_type);
    BlockKey key{.rows = group.rows,
                 .cols = tile_cols(product, group.tile, group.tiles),
                 .row_stride = product.cols * element,
                 .tile_stride = group.rows,
                 .element_bytes = element};
    key.address = at(product.mask, group.row * key.row_stride + group.tile * n * element);
    mask = &block(masks_, LoadBuffer::kMasks, key, group.rows * group.tiles,
                  load_type(product.mask_type));
  }
  const std::int64_t element_bytes = stored_bytes(product.format);
  for (std::int64_t tile = 0; tile < group.tiles; ++tile) {
    const std::int64_t cols = tile_cols(product, group.tile + tile, 1);
    const std::int64_t stride = product.cols * element_bytes;
    const std::int64_t row = sums.row + tile * sums.tile_rows;
    Step step;
    // A product that adds reads the bank's only port, so store waits for the whole bank; if nothing
    // adds, it waits for the column's own sums.
    step.wait_for(kProducts,
                  sums.adds ? products.back() : products[static_cast<std::size_t>(tile)]);
    if (mask != nullptr) step.wait_for(kLoads, mask->loaded_by);
    if (set_scale_) {
      step.setting = device::encode(
          device::StoreScale{.scale = product.scale, .shift = product.shift, .seed = product.seed});
      set_scale_ = false;
    }
    step.shape = device::encode(device::StoreShape{.rows = u16(group.rows),
                                                   .cols = static_cast<std::uint8_t>(cols),
                                                   .row_stride = u32(stride)});
    const std::uint64_t address =
        at(product.c, group.row * stride + (group.tile + tile) * n * element_bytes);
    step.command = device::encode(
        device::Store{.address = address,
                      .sum_row = u16(row),
                      .mask_row = mask == nullptr ? std::uint16_t{0}
                                                  : u16((masks_.row(*mask) + tile * group.rows)),
                      .format = product.format,
                      .relu = product.relu,
                      .masked = mask != nullptr});
    // The lanes convert N bytes a clock.
    step.clocks = group.rows * std::max(beats(address, cols * element_bytes, stride),
                                        ceil_div(cols * element_bytes, n));
    const MemoryRows block{address, group.rows, cols * element_bytes, stride};
    const std::int32_t index = add(kStores, step, block);
    if (mask != nullptr) mask->last_use = index;
    stored_.add(block, index);

    if (!sums.ones_row) continue;
    Step ones;
    ones.shape = device::encode(
        device::StoreShape{.rows = 1, .cols = static_cast<std::uint8_t>(cols), .row_stride = 0});
    const std::uint64_t ones_address = at(product.column_sums, (group.tile + tile) * n * 4);
    ones.command =
        device::encode(device::Store{.address = ones_address, .sum_row = u16(row + group.rows)});
    ones.clocks = beats(ones_address, cols * 4, 0);
    const MemoryRows sums_block{ones_address, 1, cols * 4, 0};
    stored_.add(sums_block, add(kStores, ones, sums_block));
  }
}

}  // namespace systole
