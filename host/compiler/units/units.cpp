#include "host/compiler/units/units.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <utility>

#include "host/compiler/kernels/core_sums.h"
#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/kernels/extents.h"
#include "host/compiler/kernels/wide_kernels.h"
#include "host/compiler/units/split_kernel.h"
#include "host/graph/cores.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;

class Cutter {
 public:
  Cutter(KeptValues& kept, Updates updates)
      : kept_(kept),
        updates_(updates),
        graph_(kept.around.graph),
        around_(kept.around),
        lowered_(kept.lowered),
        made_by_(graph_.value_count(), -1),
        sum_before_(graph_.value_count(), -1),
        sum_after_(graph_.value_count(), std::numeric_limits<int>::max()) {
    find_sums();
  }

  std::optional<Refusal> run() {
    for (std::size_t i = 0; i < kept_.products.size(); ++i) need_product(static_cast<int>(i));
    for (const auto& [value, root] : std::map(kept_.roots)) need_root(value);
    if (!refusal_) name_units();
    return std::move(refusal_);
  }

 private:
  // After the first refusal nothing that is cut counts: levels are 0.
  int level_of(int value) {
    if (const auto parts = kept_.parts_of.find(value); parts != kept_.parts_of.end()) {
      int level = 0;
      for (const int part : parts->second) level = std::max(level, level_of_part(part));
      return level;
    }
    if (lowered_.is_written_by_host(value)) return 0;
    if (kept_.product_of[value] >= 0) return need_product(kept_.product_of[value]);
    if (graph_.producer(value) < 0) return 0;
    return need_root(value);
  }

  // Of all its formats.
  int level_of_part(int value) {
    const int level = level_of(value);
    return kept_.roots.contains(value) ? std::max(level, need_root(value)) : level;
  }

  // What a unit that reads a value reads.
  std::vector<int> read(int value) const {
    std::vector<int> values = {value};
    if (const auto parts = kept_.parts_of.find(value); parts != kept_.parts_of.end()) {
      values.insert(values.end(), parts->second.begin(), parts->second.end());
    }
    return values;
  }

  void add_read(Unit& unit, int value) const {
    const std::vector<int> values = read(value);
    unit.reads.insert(unit.reads.end(), values.begin(), values.end());
  }

  int need_product(int index) {
    if (refusal_) return 0;
    const MatrixMatch& match = kept_.products[static_cast<std::size_t>(index)];
    if (made_by_[match.result] >= 0) return unit_of(match.result).level;
    Unit unit;
    unit.work = match;
    for (const int value : {match.a, match.b, match.bias, match.mask}) {
      if (value < 0) continue;
      add_read(unit, value);
      const bool is_copied = kept_.product_of[value] >= 0 && kept_.roots.contains(value);
      unit.level = std::max(unit.level, 1 + (is_copied ? need_root(value) : level_of(value)));
    }
    for (const int value : {match.result, match.column_sums}) {
      if (value < 0) continue;
      unit.writes.push_back(value);
      if (kept_.replaces.contains(value)) unit.replaces.push_back(kept_.replaces.at(value));
    }
    return add(std::move(unit));
  }

  int add(Unit unit) {
    const auto index = static_cast<int>(lowered_.units.size());
    for (const int value : unit.writes) {
      if (unit.product() != nullptr || kept_.product_of[value] < 0) made_by_[value] = index;
    }
    lowered_.units.push_back(std::move(unit));
    return lowered_.units.back().level;
  }

  Unit& unit_of(int value) { return lowered_.units[static_cast<std::size_t>(made_by_[value])]; }

  // The level of the kernel that writes a root.
  int need_root(int value) {
    if (refusal_) return 0;
    if (const auto known = kernel_of_.find(value); known != kernel_of_.end()) {
      return lowered_.units[static_cast<std::size_t>(known->second)].level;
    }
    if (is_wide_kernel(*graph_.maker(value))) return write_wide(value);
    if (is_core_sum(*graph_.maker(value))) return write_sum(value);
    need_reads(value);
    if (join(value)) return lowered_.units[static_cast<std::size_t>(kernel_of_[value])].level;
    auto code = write_alone(value);
    if (auto* refusal = std::get_if<Refusal>(&code)) {
      if (!refusal_) refusal_ = std::move(*refusal);
      return 0;
    }
    const int level = level_above(std::get<KernelCode>(code));
    kernel_of_[value] = static_cast<int>(lowered_.units.size());
    written_.push_back({kernel_of_[value], {value}});
    return add(kernel_unit(std::get<KernelCode>(std::move(code)), {value}, level));
  }

  int write_wide(int value) {
    for (KernelCode& code : write_wide_kernel(around_, value, kept_.roots.at(value).formats)) {
      const int level = level_above(code);
      kernel_of_[value] = static_cast<int>(lowered_.units.size());
      add(kernel_unit(std::move(code), {value}, level));
    }
    return lowered_.units.back().level;
  }

  int write_sum(int value) {
    const std::vector<Format>& formats = kept_.roots.at(value).formats;
    const bool is_streamed = std::ranges::all_of(
        formats, [](Format format) { return format == Format::kWord || format == Format::kBf16; });
    if (!is_streamed) {
      refusal_ = refusal_of(value, "a product takes it as bias or turned: add 0 to it first");
      return 0;
    }
    const std::int64_t cores = graph::cores_of(*graph_.maker(value));
    KernelCode up = write_upward_sum(around_, value, kept_.core);
    KernelCode down = write_passage(around_, value, downwards(kept_.core, cores), formats);
    const int level = level_above(up);
    kernel_of_[value] = static_cast<int>(lowered_.units.size());
    Unit first = kernel_unit(std::move(up), {value}, level);
    Unit second = kernel_unit(std::move(down), {value}, level + 1);
    first.sum = second.sum = value;
    second.turn = 1;
    add(std::move(first));
    kernel_of_[value] = static_cast<int>(lowered_.units.size());
    return add(std::move(second));
  }

  // What a root reads first, which may go into the same kernel; but for what has no rows alone,
  // which joins another kernel or is refused when it is written.
  void need_reads(int value) {
    const std::optional<Extents> extents = extents_alone(value);
    if (!extents) return;
    for (const auto& [read, extent] : extents->all()) {
      const int from = kept_.base(read);
      const bool is_root = kept_.product_of[from] < 0 && kept_.roots.contains(from);
      if (from == value || !extents->is_read(read) || !is_root) continue;
      if (extents_alone(from)) need_root(from);
    }
  }

  std::optional<Extents> extents_alone(int root) const {
    auto extents = Extents::find(around_, std::span(&kept_.roots.at(root), 1));
    if (std::holds_alternative<Refusal>(extents)) return {};
    return std::get<Extents>(std::move(extents));
  }

  int level_above(const KernelCode& code) {
    int level = 1;
    for (const auto* ports : code.inputs()) {
      for (const Port& port : *ports) {
        if (graph_.producer(port.value) < 0) lowered_.stored[port.value].add(port.format);
        level = std::max(level, 1 + level_of(port.value));
      }
    }
    return level;
  }

  std::vector<Root> roots_of(const std::vector<int>& values) const {
    std::vector<Root> roots;
    for (const int value : values) roots.push_back(kept_.roots.at(value));
    return roots;
  }

  // Into a kernel over the same elements that needs nothing later for it, or whose sums it adds:
  // one that reads all it reads anyway, else the latest.
  bool join(int value) {
    struct Joined {
      KernelCode code;
      int level = 0;
      std::size_t kernel = 0, roots = 0, more = 0;  ///< inputs
    };
    std::optional<Joined> best;
    const Alone alone = alone_of(value);
    // By number, as level_above may write more kernels.
    for (std::size_t i = written_.size(); i-- > 0;) {
      const std::size_t roots = written_[i].second.size();
      if (is_apart(value, i) || crosses_sums(value, i) || cannot_join(alone, i, best.has_value()))
        continue;
      std::optional<KernelCode> joined = joined_with(i, value);
      if (!joined) continue;
      const int level = level_above(*joined);
      const KernelCode& code = *kernel_of(i).kernel();
      const std::size_t more = joined->in.size() - std::min(joined->in.size(), code.in.size());
      const bool rides = more == 0 && level > kernel_of(i).level && adds_sums(code, *joined) &&
                         is_unread(written_[i].second);
      if (level != kernel_of(i).level && !rides) continue;
      if (!best || more == 0) best = {std::move(*joined), level, i, roots, more};
      if (best->more == 0) break;
    }
    if (!best) return false;
    auto& [index, all] = written_[best->kernel];
    if (all.size() != best->roots) return join(value);  // others joined it meanwhile
    all.push_back(value);
    Unit& unit = lowered_.units[static_cast<std::size_t>(index)];
    unit = kernel_unit(std::move(best->code), all, best->level);
    kernel_of_[value] = index;
    if (kept_.product_of[value] < 0) made_by_[value] = index;
    return true;
  }

  // Whether one is an update and the other is none, where these go apart.
  bool is_apart(int value, std::size_t written) const {
    const int other = written_[written].second.front();
    return updates_ == Updates::kApart &&
           kept_.replaces.contains(value) != kept_.replaces.contains(other);
  }

  // Whether a sum over cores would wait for one that comes after it: the kernel would be needed for
  // the one and need the other.
  bool crosses_sums(int value, std::size_t written) const {
    int before = sum_before_[value], after = sum_after_[value];
    for (const int root : written_[written].second) {
      before = std::max(before, sum_before_[root]);
      after = std::min(after, sum_after_[root]);
    }
    return before >= after;
  }

  void find_sums() {
    const auto& all = graph_.operations();
    for (const Operation& operation : all) {
      for (const int operand : operation.operands) {
        const Operation* maker = graph_.maker(operand);
        const bool is_sum = maker != nullptr && is_core_sum(*maker);
        const int before = is_sum ? graph_.producer(operand) : sum_before_[operand];
        for (const int result : operation.results) {
          sum_before_[result] = std::max(sum_before_[result], before);
        }
      }
    }
    for (const Operation& operation : all | std::views::reverse) {
      int after = is_core_sum(operation) ? graph_.producer(operation.results[0])
                                         : std::numeric_limits<int>::max();
      if (!is_core_sum(operation)) {
        for (const int result : operation.results) after = std::min(after, sum_after_[result]);
      }
      for (const int operand : operation.operands) {
        sum_after_[operand] = std::min(sum_after_[operand], after);
      }
    }
  }

  /// What a root by itself shows of kernels that it would be written into.
  struct Alone {
    std::int64_t elements = 0;  ///< that they go through, at least
    std::int64_t size = 0;      ///< its own elements; 0 for what joins rows
    bool may_be_total = true;   ///< known after all rows alone
    struct Read {
      int value = -1, in = -1;  ///< and what it lies in
      int level = 0;
      bool is_full = false;
    };
    std::vector<Read> reads = {};  ///< none if some are not made yet
  };

  Alone alone_of(int value) {
    const std::optional<Extents> extents = extents_alone(value);
    if (!extents) return {};
    Alone alone{.elements = extents->rows() * extents->cols(), .may_be_total = false};
    if (!extents->joined(value)) alone.size = graph::element_count(graph_.type(value).shape);
    bool are_made = true;
    for (const auto& [read, extent] : extents->all()) {
      if (!extents->is_read(read)) {
        alone.may_be_total = alone.may_be_total || adds_rows(graph_, *graph_.maker(read));
        continue;
      }
      const auto slice = around_.slices.find(read);
      const int in = slice == around_.slices.end() ? read : slice->second.value;
      are_made = are_made && is_made(in);
      if (!are_made) continue;
      alone.reads.push_back({read, in, level_of(in), extent == Extent::kFull});
    }
    if (!are_made) alone.reads.clear();
    return alone;
  }

  // Whether what makes a value has its unit already.
  bool is_made(int value) const {
    if (const auto parts = kept_.parts_of.find(value); parts != kept_.parts_of.end()) {
      return std::ranges::all_of(parts->second, [&](int part) {
        return is_made(part) && (!kept_.roots.contains(part) || kernel_of_.contains(part));
      });
    }
    if (kept_.product_of[value] < 0) {
      return graph_.producer(value) < 0 || kernel_of_.contains(value);
    }
    return made_by_[kept_.products[static_cast<std::size_t>(kept_.product_of[value])].result] >= 0;
  }

  // What writing the kernel would show, too, at a hundred times the cost.
  bool cannot_join(const Alone& alone, std::size_t written, bool needs_no_more) {
    const Unit& unit = kernel_of(written);
    const KernelCode& code = *unit.kernel();
    const std::int64_t all = code.rows * code.cols, size = alone.size;
    if (alone.elements > all) return true;
    if (size > 1 && size != all && size != code.rows && size != code.cols) return true;
    const bool may_ride = alone.may_be_total && code.finish.empty();
    // Columns may leave the streams for registers.
    const bool counts_streams =
        needs_no_more && code.rows > 1 && code.cols > 1 && alone.elements == all &&
        std::ranges::none_of(code.in,
                             [](const Port& port) { return port.extent == Extent::kColumn; });
    const std::vector<int>& roots = written_[written].second;
    return std::ranges::any_of(alone.reads, [&](const Alone::Read& read) {
      if (std::ranges::count(roots, read.value) != 0) return false;
      if (read.level >= unit.level && !may_ride) return true;
      return counts_streams && read.is_full &&
             std::ranges::find(code.in, read.in, &Port::value) == code.in.end();
    });
  }

  Unit& kernel_of(std::size_t written) {
    return lowered_.units[static_cast<std::size_t>(written_[written].first)];
  }

  std::optional<KernelCode> joined_with(std::size_t written, int value) {
    std::vector<int> all = written_[written].second;
    all.push_back(value);
    const std::vector<Root> roots = roots_of(all);
    auto written_code = write_kernel(around_, roots);
    if (std::holds_alternative<Refusal>(written_code)) return {};
    auto& joined = std::get<KernelCode>(written_code);
    const KernelCode& code = *kernel_of(written).kernel();
    if (code.rows != joined.rows || code.cols != joined.cols) return {};
    if (overwrites_unread(joined) || reads_unmade(joined) || reads_own(joined, all)) return {};
    return std::move(joined);
  }

  // What a kernel writes is in memory when it ends: another kernel reads a slice of it.
  bool reads_own(const KernelCode& code, const std::vector<int>& roots) const {
    return std::ranges::any_of(code.inputs(), [&](const auto* ports) {
      return std::ranges::any_of(*ports, [&](const Port& port) {
        return std::ranges::any_of(
            read(port.value), [&](int value) { return std::ranges::count(roots, value) != 0; });
      });
    });
  }

  // What another kernel has put into memory since the kernel was written may need the new root.
  bool reads_unmade(const KernelCode& code) const {
    return std::ranges::any_of(code.inputs(), [&](const auto* ports) {
      return std::ranges::any_of(*ports, [&](const Port& port) {
        return kept_.product_of[port.value] < 0 && kept_.roots.contains(port.value) &&
               !kernel_of_.contains(port.value) && extents_alone(port.value);
      });
    });
  }

  // Sums of what a kernel writes may make it wait for more, as for where the distances are from,
  // while nobody waits for it, and if it still goes through its rows once.
  bool adds_sums(const KernelCode& code, const KernelCode& joined) const {
    return code.finish.empty() && !joined.finish.empty() && !code.out.empty() &&
           joined.cols <= joined.block_words * around_.lanes;
  }
  bool is_unread(const std::vector<int>& values) const {
    return std::ranges::none_of(lowered_.units, [&](const Unit& unit) {
      return std::ranges::any_of(unit.reads,
                                 [&](int read) { return std::ranges::count(values, read) != 0; });
    });
  }

  Unit kernel_unit(KernelCode code, const std::vector<int>& roots, int level) {
    Unit unit;
    unit.work = std::move(code);
    unit.writes = roots;
    unit.level = level;
    for (const auto* ports : unit.kernel()->inputs()) {
      for (const Port& port : *ports) add_read(unit, port.value);
    }
    for (const int root : roots) {
      if (kept_.replaces.contains(root)) unit.replaces.push_back(kept_.replaces.at(root));
    }
    return unit;
  }

  // In place, a word may only be written where it was read: each format is a memory of its own, of
  // which the same rows are read.
  bool overwrites_unread(const KernelCode& code) const {
    return std::ranges::any_of(code.out, [&](const Port& to) {
      const auto replaced = kept_.replaces.find(to.value);
      return replaced != kept_.replaces.end() &&
             std::ranges::any_of(code.in, [&](const Port& from) {
               return from.value == replaced->second &&
                      ((from.format == to.format && from.view != to.view) ||
                       code.writes_ahead(around_.lanes));
             });
    });
  }

  // A root that does not fit into a kernel reads a part of it from memory.
  OrRefusal<KernelCode> write_alone(int value) {
    constexpr int kMostParts = 256;
    std::string limit;
    for (int part = 0; part < kMostParts; ++part) {
      const Root root = kept_.roots.at(value);
      auto code = write_kernel(around_, std::span(&root, 1));
      const auto* refusal = std::get_if<Refusal>(&code);
      if (refusal == nullptr || !refusal->is_a_limit) return code;
      limit = refusal->why;
      auto part_found = split_kernel(kept_, root);
      if (auto* other = std::get_if<Refusal>(&part_found)) return std::move(*other);
      if (!std::get<bool>(part_found)) break;
    }
    return refusal_of(
        value, fmt::format("it does not fit into micro-programs of the vector engine: {}", limit));
  }

  void name_units() {
    for (Unit& unit : lowered_.units) {
      std::set<std::string> scopes;
      for (const int value : unit.writes) scopes.insert(graph_.maker(value)->scope);
      unit.name = fmt::format("{}", fmt::join(scopes, ", "));
      if (const KernelCode* code = unit.kernel()) {
        for (const Section* section : code->sections()) {
          for (const Section::TableUse& use : section->table) {
            const bool is_known = std::ranges::count(lowered_.table, use.scalar) != 0;
            if (around_.in_table[use.scalar] && !is_known) lowered_.table.push_back(use.scalar);
          }
        }
        if (overwrites_unread(*code)) {
          refusal_ =
              refusal_of(unit.writes.back(), "the device cannot update it in place, row by row");
          return;
        }
      }
    }
  }

  Refusal refusal_of(int value, std::string_view why) const {
    return Refusal::of(graph_.call(*graph_.maker(value)), why);
  }

  KeptValues& kept_;
  Updates updates_;
  const Graph& graph_;
  const Surroundings& around_;
  LoweredGraph& lowered_;
  std::map<int, int> kernel_of_;                           ///< the unit that writes a root
  std::vector<std::pair<int, std::vector<int>>> written_;  ///< kernels and their roots
  std::vector<int> made_by_;                               ///< by value: unit
  std::vector<int> sum_before_;  ///< by value: the last sum over cores that it follows from, or -1
  std::vector<int> sum_after_;   ///< and the first that follows from it
  std::optional<Refusal> refusal_;  ///< the first
};

}  // namespace

std::optional<Refusal> cut_units(KeptValues& kept, Updates updates) {
  return Cutter(kept, updates).run();
}

}  // namespace systole::lowering
