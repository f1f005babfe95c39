#include "host/compiler/schedule/known_plans.h"

#include <fmt/format.h>

#include <optional>
#include <sstream>
#include <string>

#include "host/compiler/schedule/product_numbers.h"
#include "host/compiler/schedule/program_builder.h"
#include "host/device/digest.h"
#include "schedule_sources.h"

namespace systole {
namespace {

std::string identity_of(std::span<const Product> products, const DeviceSizes& sizes, Bus bus) {
  Digest digest;
  const FromFirstPage moved(products);
  for (const Product& product : products) {
    const auto numbers = numbers_of(moved(product));
    digest.add(std::as_bytes(std::span(numbers)));
  }
  return fmt::format(
      "plans of a program{}\nsources {}\narray {}, bus {}\nbanks {} {}\nwords {} {} {}\nproducts "
      "{}\n"
      "digest {}",
      bus == Bus::kShared ? " beside the vector engine" : "", kScheduleSources, sizes.array_size,
      sizes.beat_bytes(), sizes.bank_rows, sizes.bank_stride, sizes.row_words, sizes.weight_words,
      sizes.mask_words, products.size(), digest.hex());
}

/// One plan a line.
std::string text_of(std::span<const BlockPlan> plans) {
  std::string text;
  for (const BlockPlan& plan : plans) {
    text +=
        fmt::format("{} {} {} {:d} {:d} {:d} {:d}\n", plan.block_rows, plan.group_tiles,
                    plan.chunk_tiles, plan.ramps_up, plan.tapers, plan.by_columns, plan.both_banks);
  }
  return text;
}

std::optional<std::vector<BlockPlan>> plans_of(const std::optional<std::string>& text,
                                               std::size_t count) {
  if (!text) return std::nullopt;
  std::vector<BlockPlan> plans(count);
  std::istringstream lines(*text);
  for (BlockPlan& plan : plans) {
    lines >> plan.block_rows >> plan.group_tiles >> plan.chunk_tiles >> plan.ramps_up >>
        plan.tapers >> plan.by_columns >> plan.both_banks;
  }
  if (text_of(plans) != *text) return std::nullopt;
  return plans;
}

}  // namespace

std::vector<BlockPlan> known_plans(std::span<const Product> products, const DeviceSizes& sizes,
                                   const DiskCache& disk, Bus bus) {
  for (const Product& product : products) check_product(product);
  const std::string identity = identity_of(products, sizes, bus);
  if (auto kept = plans_of(disk.find(identity), products.size())) return *std::move(kept);
  std::vector<BlockPlan> plans = choose_plans(products, sizes, bus);
  disk.keep(identity, text_of(plans));
  return plans;
}

}  // namespace systole
