#include "host/compiler/schedule/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/compiler/schedule/patches.h"
#include "host/compiler/schedule/product_lowering.h"

namespace systole {
namespace {

constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << device::kAddressBits;
constexpr std::int64_t kMostStride = 0xffff'ffff;

[[noreturn]] void refuse(const Product& product, std::string_view why) {
  throw std::invalid_argument(fmt::format("product: {}: {}", describe(product), why));
}

void check_patches(const Product& product, const Patches& patches) {
  const std::int64_t elements = product.transpose_a ? product.rows : product.depth;
  if (patches.elements() != elements || patches.count() % patches.positions() != 0) {
    refuse(product, "A's patches have another size or number");
  }
}

/// Whether a product reads the result of `before`, so its operands cannot be loaded ahead.
bool reads(const Product& product, const Product& before) {
  const std::vector<ProductSpan> operands = spans(product), written = spans(before);
  const MemoryRange& c = written[2].range;
  return operands[0].range.overlaps(c) || operands[1].range.overlaps(c);
}

/// Whether products differ only in their addresses.
bool same_shape(const Product& product, const Product& other) {
  Product moved = other;
  moved.a = product.a;
  moved.b = product.b;
  moved.c = product.c;
  return moved == product;
}

/// When `count` products of one shape, at different addresses, would end after the products lowered
/// so far; extrapolated from the first four. Empty if that is not before `least`. `lowering` is
/// overwritten: its memory serves all plans of a search, which would else be cleared for each.
std::optional<std::int64_t> clocks_of(const Product& product, BlockPlan plan, std::int64_t count,
                                      const ProductLowering& before, std::int64_t least,
                                      ProductLowering& lowering) {
  constexpr std::int64_t kTried = 4;
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 36;
  lowering = before;
  Product next = product;
  const std::int64_t tried = std::min(count, kTried), rest = count - tried;
  const std::int64_t each = lowering.product_clocks(product, plan);
  std::int64_t half = 0;
  std::int64_t most = least;  // if those tried end later, the whole ends at `least` or later
  for (std::int64_t i = 0; i < tried; ++i) {
    if (!lowering.add(next, plan, most, (tried - 1 - i) * each)) return std::nullopt;
    plan.ramps_up = false;
    for (std::uint64_t* address : {&next.a, &next.b, &next.c}) *address += kElsewhere;
    if (i + 1 != kTried / 2 || rest == 0) continue;
    half = lowering.streams().times().clocks();
    if (least != ProductLowering::kForever) most = (2 * least + half * rest) / (2 + rest) + 2;
  }
  std::int64_t clocks = lowering.streams().times().clocks();
  if (rest > 0) clocks += (clocks - half) * rest / (kTried / 2);
  if (clocks >= least) return std::nullopt;
  return clocks;
}

/// The plan with which `count` products of one shape end first.
BlockPlan best_plan(const Product& product, std::int64_t count, const ProductLowering& before,
                    const DeviceSizes& sizes) {
  BlockPlan best;
  std::int64_t least = ProductLowering::kForever;
  ProductLowering lowering = before;
  for (BlockPlan plan : candidate_plans(product, sizes)) {
    for (const bool ramps_up : {false, true}) {
      plan.ramps_up = ramps_up;
      const auto clocks = clocks_of(product, plan, count, before, least, lowering);
      if (!clocks) continue;
      least = *clocks;
      best = plan;
    }
  }
  return best;
}

/// Cuts the last product for the earliest end of the program: it may taper, and may be cut unlike
/// earlier products of its shape.
void plan_end(std::span<const Product> products, const DeviceSizes& sizes,
              std::vector<BlockPlan>& plans) {
  ProductLowering before(sizes, Keep::kTimes);
  if (products.size() > 1) before.add(products[products.size() - 2], plans[plans.size() - 2]);
  std::vector<BlockPlan> candidates = candidate_plans(products.back(), sizes);
  candidates.insert(candidates.begin(), plans.back());
  const bool ramps_up = plans.back().ramps_up;
  std::int64_t least = ProductLowering::kForever;
  ProductLowering lowering = before;
  for (BlockPlan plan : candidates) {
    plan.ramps_up = ramps_up;
    for (const bool tapers : {false, true}) {
      plan.tapers = tapers;
      const auto clocks = clocks_of(products.back(), plan, 1, before, least, lowering);
      if (!clocks) continue;
      least = *clocks;
      plans.back() = plan;
    }
  }
}

/// Of plans for a product of patches that take at most 1% longer by themselves, the one that loads
/// least.
void load_less(const Product& product, const DeviceSizes& sizes, BlockPlan& plan) {
  if (!has_patches(product)) return;
  const ProductLowering none(sizes, Keep::kTimes);
  ProductLowering lowering = none;
  lowering.add(product, plan);
  const std::int64_t most = 101 * lowering.streams().times().clocks() / 100 + 1;
  std::int64_t least = lowering.streams().times().busy(kLoads);
  for (const BlockPlan& other : candidate_plans(product, sizes)) {
    lowering = none;  // a copy, so that it keeps its memory
    if (!lowering.add(product, other, most)) continue;
    const std::int64_t loads = lowering.streams().times().busy(kLoads);
    if (loads >= least) continue;
    least = loads;
    plan = other;
  }
}

}  // namespace

void check_product(const Product& product) {
  if (product.rows < 1 || product.depth < 1 || product.cols < 1) {
    refuse(product, "rows, depth and cols must each be 1 or more");
  }
  if (product.type != DataType::kBf16 && product.type != DataType::kInt8) {
    refuse(product, "the device multiplies bf16 and int8 only");
  }
  if (product.bias != 0 && product.accumulate) {
    refuse(product, "the sums start from a bias or from C, not from both");
  }
  if (product.ones != 0 && (product.bias == 0 || product.type != DataType::kBf16)) {
    refuse(product, "the array adds up a bias of a bf16 product only");
  }
  if (product.column_sums != 0 && (product.bias != 0 || product.accumulate)) {
    refuse(product, "column sums start from zero, so the product's sums must too");
  }
  if (product.accumulate && product.format != device::StoreFormat::kWord32) {
    refuse(product, "accumulating needs C to hold sums");
  }
  const std::int64_t widest = std::max({product.rows, product.depth, product.cols});
  if (widest > kMostStride / 4) refuse(product, "a row of a matrix is at most 4 GiB");
  if (const auto patches = find_patches(product, {})) check_patches(product, *patches);
  for (const ProductSpan& span : spans(product)) {
    const auto size = static_cast<std::uint64_t>(span.range.size_bytes);
    if (span.range.address >= kAddressEnd || size > kAddressEnd - span.range.address) {
      refuse(product, "an operand lies beyond the device's 40 bits of address");
    }
  }
}

std::vector<BlockPlan> choose_plans(std::span<const Product> products, const DeviceSizes& sizes,
                                    Bus bus) {
  std::vector<BlockPlan> plans;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const auto follows_same = [&](std::size_t at) {
      return at > 0 && same_shape(products[at], products[at - 1]) &&
             !reads(products[at], products[at - 1]);
    };
    if (follows_same(i)) {
      plans.push_back(plans.back());
      plans.back().ramps_up = false;
      continue;
    }
    std::int64_t count = 1;
    while (i + static_cast<std::size_t>(count) < products.size() &&
           follows_same(i + static_cast<std::size_t>(count))) {
      ++count;
    }
    // Buffers may still hold operands of the previous product.
    ProductLowering before(sizes, Keep::kTimes);
    if (i > 0) before.add(products[i - 1], plans[i - 1]);
    plans.push_back(best_plan(products[i], count, before, sizes));
    if (plans.back() == BlockPlan{}) refuse(products[i], "a patch does not fit into the buffers");
  }
  if (!plans.empty()) plan_end(products, sizes, plans);
  if (bus == Bus::kShared) {
    for (std::size_t i = 0; i < products.size(); ++i) load_less(products[i], sizes, plans[i]);
  }
  return plans;
}

std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes,
                                               std::span<const BlockPlan> plans) {
  ProductLowering lowering(sizes, Keep::kSteps);
  for (std::size_t i = 0; i < products.size(); ++i) {
    check_product(products[i]);
    lowering.add(products[i], plans[i]);
  }
  return lowering.streams().commands();
}

std::vector<device::CommandWord> build_program(std::span<const Product> products,
                                               const DeviceSizes& sizes) {
  for (const Product& product : products) check_product(product);
  return build_program(products, sizes, choose_plans(products, sizes));
}

}  // namespace systole
