#include "host/runtime/program_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/runtime/product_lowering.h"

namespace systole {
namespace {

constexpr std::uint64_t kAddressEnd = std::uint64_t{1} << 40;
constexpr std::int64_t kMostStride = 0xffff'ffff;

std::string describe(const ProgramProduct& product) {
  return fmt::format("{} x {} times {} x {}, {}", product.rows, product.depth, product.depth,
                     product.cols, to_string(product.type));
}

[[noreturn]] void refuse(const ProgramProduct& product, std::string_view why) {
  throw std::invalid_argument(fmt::format("product: {}: {}", describe(product), why));
}

/// Whether a product reads what the products before it in the program write, so late that its
/// operands cannot have been loaded ahead.
bool reads(const ProgramProduct& product, const ProgramProduct& before) {
  const std::int64_t written = before.rows * before.cols * stored_bytes(before.format);
  const auto overlaps = [&](std::uint64_t address, std::int64_t bytes) {
    return address != 0 && address < before.c + static_cast<std::uint64_t>(written) &&
           before.c < address + static_cast<std::uint64_t>(bytes);
  };
  const std::int64_t element = operand_size_bytes(product.type);
  return overlaps(product.a, product.rows * product.depth * element) ||
         overlaps(product.b, product.depth * product.cols * element);
}

}  // namespace

void check_product(const ProgramProduct& product) {
  if (product.rows < 1 || product.depth < 1 || product.cols < 1) {
    refuse(product, "rows, depth and cols must each be 1 or more");
  }
  if (product.type != DataType::kBf16 && product.type != DataType::kInt8) {
    refuse(product, "the device multiplies bf16 and int8 only");
  }
  if (product.bias != 0 && product.accumulate) {
    refuse(product, "the sums start from a bias or from C, not from both");
  }
  if (product.column_sums != 0 && (product.bias != 0 || product.accumulate)) {
    refuse(product, "column sums start from zero, so the product's sums must too");
  }
  if (product.accumulate && product.format != device::StoreFormat::kWord32) {
    refuse(product, "adding to C needs C to hold sums");
  }
  const std::int64_t widest = std::max({product.rows, product.depth, product.cols});
  if (widest > kMostStride / 4) refuse(product, "a row of a matrix is at most 4 GiB");
  const auto inside = [&](std::uint64_t address, std::int64_t elements, std::int64_t bytes) {
    const std::uint64_t size =
        static_cast<std::uint64_t>(elements) * static_cast<std::uint64_t>(bytes);
    if (address >= kAddressEnd || size > kAddressEnd - address) {
      refuse(product, "an operand lies beyond the device's 40 bits of address");
    }
  };
  const std::int64_t element = operand_size_bytes(product.type);
  inside(product.a, product.rows * product.depth, element);
  inside(product.b, product.depth * product.cols, element);
  inside(product.c, product.rows * product.cols, stored_bytes(product.format));
  inside(product.mask, product.rows * product.cols, operand_size_bytes(product.mask_type));
  inside(product.bias, product.cols, 4);
  inside(product.column_sums, product.cols, 4);
}

BlockPlan choose_plan(const ProgramProduct& product, const DeviceSizes& sizes) {
  // Two of the same behind each other show both how it starts and ends and how it goes on.
  ProgramProduct second = product;
  const std::uint64_t elsewhere = std::uint64_t{1} << 39;
  for (std::uint64_t* address : {&second.a, &second.b, &second.c}) *address ^= elsewhere;
  BlockPlan best;
  std::int64_t least = -1;
  for (BlockPlan plan : candidate_plans(product, sizes)) {
    plan.ramps_up = plan.tapers = true;
    ProductLowering lowering(sizes);
    lowering.add(product, plan);
    plan.ramps_up = false;
    lowering.add(second, plan);
    const std::int64_t clocks = lowering.streams().clocks();
    if (least < 0 || clocks < least) {
      least = clocks;
      best = plan;
    }
  }
  best.ramps_up = best.tapers = false;
  return best;
}

std::vector<device::CommandWord> build_program(std::span<const ProgramProduct> products,
                                               const DeviceSizes& sizes,
                                               std::span<const BlockPlan> plans) {
  ProductLowering lowering(sizes);
  for (std::size_t i = 0; i < products.size(); ++i) {
    check_product(products[i]);
    lowering.add(products[i], plans[i]);
  }
  return lowering.streams().commands();
}

std::vector<device::CommandWord> build_program(std::span<const ProgramProduct> products,
                                               const DeviceSizes& sizes) {
  std::vector<BlockPlan> plans;
  for (std::size_t i = 0; i < products.size(); ++i) {
    check_product(products[i]);
    const auto same_cut = [&](const ProgramProduct& other) {
      ProgramProduct moved = other;
      moved.a = products[i].a;
      moved.b = products[i].b;
      moved.c = products[i].c;
      return moved == products[i];
    };
    std::size_t known = 0;
    while (known < i && !same_cut(products[known])) ++known;
    BlockPlan plan = known < i ? plans[known] : choose_plan(products[i], sizes);
    plan.ramps_up = i == 0 || reads(products[i], products[i - 1]);
    plan.tapers = i + 1 == products.size() || reads(products[i + 1], products[i]);
    plans.push_back(plan);
  }
  return build_program(products, sizes, plans);
}

}  // namespace systole
