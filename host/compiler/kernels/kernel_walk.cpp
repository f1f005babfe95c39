#include "host/compiler/kernels/kernel_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "systole/support/ceil_div.h"

namespace systole::lowering {
namespace {

constexpr std::int64_t kMostCols = 65'535;

/// With fewer rows, bringing what they share takes longer than reading it again.
constexpr std::int64_t kLeastRows = 64;

}  // namespace

OrRefusal<ChosenWalk> choose_walk(const Surroundings& around, const Extents& extents,
                                  std::span<const Root> roots) {
  ChosenWalk chosen;
  const std::int64_t cols = extents.cols();
  bool has_rows = false, has_places = false, shares_columns = false;
  bool reduces_rows = false, adds_columns = false, adds_all = false;
  for (const Root& root : roots) {
    has_places = has_places || extents.joined(root.value).has_value() ||
                 std::ranges::any_of(root.formats, is_turned);
  }
  for (const auto& [value, extent] : extents.all()) {
    has_places = has_places || around.slices.contains(value);
    const bool is_computed = !extents.is_read(value);
    const graph::Operation* operation = is_computed ? around.graph.maker(value) : nullptr;
    const bool accumulates = is_computed && extents.is_accumulated(value);
    const Extent from = accumulates && extents.has(operation->operands[0])
                            ? extents.of(operation->operands[0])
                            : Extent::kFull;
    const bool is_column = extent == Extent::kColumn && !extents.is_total(value);
    shares_columns = shares_columns || (is_column && !is_computed);
    has_places = has_places || (operation != nullptr && operation->kind->name == "iota");
    has_rows = has_rows || has_places || extent == Extent::kRow || is_column;
    reduces_rows = reduces_rows || from == Extent::kRow ||
                   (is_computed && operation->kind->name == "reduce" && !accumulates &&
                    !reduces_nothing(around.graph, *operation));
    adds_columns = adds_columns || (accumulates && extent == Extent::kColumn);
    adds_all = adds_all || (accumulates && extent == Extent::kScalar);
  }
  has_rows = has_rows || has_places;
  const std::int64_t words = ceil_div(cols, std::int64_t{around.lanes});
  const auto padded = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(words)));
  const bool is_whole = cols % around.lanes == 0;
  if (reduces_rows || adds_columns ||
      (shares_columns && is_whole && words <= kSlots && !has_places && !adds_all &&
       extents.rows() >= kLeastRows)) {
    chosen.walk = Walk::kBlocks;
    chosen.block_words = std::min(kSlots, padded);
    if (is_whole && !reduces_rows && !adds_all) {  // no words but those of the rows
      chosen.block_words = std::min(kSlots, words & -words);
    }
    if (reduces_rows && padded > kSlots) {
      return Refusal{
          .why = fmt::format("the device reduces rows of at most {} elements, and these have {}",
                             kSlots * around.lanes, cols),
          .is_a_limit = true};
    }
  } else if (has_rows) {
    chosen.walk = Walk::kRows;
    if (cols > kMostCols) {
      const graph::Call last = around.graph.call(*around.graph.maker(roots.back().value));
      return Refusal::of(last, fmt::format("a stream's rows have at most {} elements", kMostCols));
    }
  }
  return chosen;
}

}  // namespace systole::lowering
