#include "host/compiler/units/kernel_borders.h"

#include <algorithm>
#include <set>

#include "host/compiler/kernels/element_operations.h"
#include "host/compiler/rewrites/separate_outputs.h"

namespace systole::lowering {
namespace {

using graph::Operation;

class BorderFinder {
 public:
  explicit BorderFinder(KeptValues& kept)
      : kept_(kept), graph_(kept.around.graph), around_(kept.around) {}

  void run() {
    find_bytes();
    find_totals();
    find_row_lengths();
  }

 private:
  // What becomes int8 goes through memory, as a stream saturates it.
  void find_bytes() {
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (kept_.on_host[result]) continue;
      const bool is_byte = graph_.type(result).element == graph::Element::kS8;
      if (is_byte && operation.kind->name == "convert" && !is_joined_only(result)) {
        kept_.need_memory(result);
      }
    }
  }

  // Values that must be in memory before another kernel can start: sums over rows that are
  // broadcast, reduced again, or added to sums over other rows; and computed scalars, which every
  // lane would compute again.
  void find_totals() {
    std::vector<graph::Shape> total(graph_.value_count());  // the shape that was added up
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (kept_.on_host[result]) continue;
      const std::string_view name = operation.kind->name;
      std::set<graph::Shape> shapes;
      for (const int operand : operation.operands) {
        if (!total[operand].empty() && !around_.in_memory[kept_.base(operand)]) {
          shapes.insert(total[operand]);
        }
      }
      find_parts(operation);
      const bool stays = name == "reshape" || is_elementwise(*operation.kind);
      if (shapes.size() > 1 || (!shapes.empty() && !stays)) {
        for (const int operand : operation.operands) {
          if (!total[operand].empty()) kept_.need_memory(operand);
        }
        shapes.clear();
      }
      if (is_copy(graph_, operation)) kept_.need_memory(result);
      if (name == "broadcast_in_dim") {
        need_scalar(operation);
        need_column(operation);
      }
      if (name == "reduce" && repeats_others(operation.operands[0])) {
        kept_.need_memory(operation.operands[0]);
      }
      if (!shapes.empty()) total[result] = *shapes.begin();
      if (adds_rows(graph_, operation) && kept_.product_of[result] < 0) {
        total[result] = graph_.type(operation.operands[0]).shape;
        need_sums(operation);
      }
    }
  }

  // Slices are of values in memory. Numbers computed from them are written, so that the rows of
  // slices are those of few kernels. What joins rows is written, for products alone as bf16.
  void find_parts(const Operation& operation) {
    const int result = operation.results[0];
    if (around_.slices.contains(result)) return kept_.need_memory(operation.operands[0]);
    if (const auto rows = joined_rows(graph_, operation)) {
      for (const JoinedRows::Part& part : rows->parts) need_chosen(part.value);
      if (is_joined_only(result)) return;
      if (!kept_.roots.contains(result) || is_used_elsewhere(result)) kept_.need_memory(result);
      return;
    }
    if (follows_slices(operation)) {
      sliced_.insert(result);
      const bool is_float = graph::is_float(graph_.type(result).element);
      if (is_float ? leaves_rows(result) || meets_columns(result)
                   : around_.narrow[result] && is_reshaped(result)) {
        kept_.need_memory(result);
      }
    }
    const Operation* predicate =
        operation.kind->name == "select" ? graph_.maker(operation.operands[0]) : nullptr;
    if (predicate == nullptr || !reads_slice(*predicate)) return;
    for (const int operand : operation.operands) {
      if (broadcasts(operand)) kept_.need_memory(operand);
    }
  }

  // What is chosen for joined rows, if it follows from other rows.
  void need_chosen(int value) {
    if (around_.in_memory[kept_.base(value)]) return;
    const Operation* operation = graph_.maker(kept_.base(value));
    if (operation != nullptr && graph_.type(operation->results[0]).element == graph::Element::kS8 &&
        operation->kind->name == "convert") {
      return need_chosen(operation->operands[0]);
    }
    if (operation == nullptr || operation->kind->name != "select") {
      if (broadcasts(value)) kept_.need_memory(value);
      return;
    }
    for (const std::size_t i : {std::size_t{1}, std::size_t{2}}) {
      need_chosen(operation->operands[i]);
    }
  }

  void need_scalar(const Operation& broadcast) {
    const int from = broadcast.operands[0];
    const bool spreads = graph::element_count(graph_.type(from).shape) == 1 &&
                         graph::element_count(graph_.type(broadcast.results[0]).shape) > 1;
    if (spreads && !around_.in_table[from] && !graph_.splat(from)) kept_.need_memory(from);
  }

  // What many rows repeat is computed once.
  void need_column(const Operation& broadcast) {
    const int from = broadcast.operands[0];
    const auto& shape = graph_.type(broadcast.results[0]).shape;
    const auto last = std::ssize(shape) - 1;
    const bool is_column =
        graph_.type(from).rank() == 1 &&
        std::get<graph::Integers>(broadcast.attributes[0]) == graph::Integers{last} &&
        repeats_often(from, broadcast.results[0]);
    if (is_column && !around_.in_table[from] && !graph_.splat(from)) kept_.need_memory(from);
  }

  // Sums of many rows' columns are written as they are: what follows from them may be more than a
  // kernel writes, and another one would add the rows up again.
  void need_sums(const Operation& reduce) {
    const int sums = reduce.results[0];
    if (graph_.type(sums).rank() == 1 && repeats_often(sums, reduce.operands[0])) {
      kept_.need_memory(sums);
    }
  }

  bool repeats_often(int column, int tensor) const {
    constexpr std::int64_t kManyRows = 64;
    const auto elements = graph::element_count(graph_.type(column).shape);
    return elements > 1 && elements * kManyRows <= graph::element_count(graph_.type(tensor).shape);
  }

  // One kernel has rows of one length: reductions of others, and what repeats them, are apart.
  void find_row_lengths() {
    std::vector<std::int64_t> length(graph_.value_count());  // of the rows that were reduced
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (kept_.on_host[result]) continue;
      std::set<std::int64_t> lengths;
      for (const int operand : operation.operands) {
        if (length[operand] > 0 && !around_.in_memory[kept_.base(operand)]) {
          lengths.insert(length[operand]);
        }
      }
      const bool reduces_lengths =
          operation.kind->name == "reduce" && graph::element_count(graph_.type(result).shape) > 1;
      const bool repeats_columns =
          is_elementwise(*operation.kind) &&
          std::ranges::any_of(operation.operands, [&](int operand) { return repeats(operand); });
      const bool spreads = operation.kind->name == "broadcast_in_dim" &&
                           graph::element_count(graph_.type(operation.operands[0]).shape) > 1;
      if (spreads && repeats(operation.operands[0])) kept_.need_memory(operation.operands[0]);
      if (!lengths.empty() && (reduces_lengths || repeats_columns)) {
        for (const int operand : operation.operands) {
          if (length[operand] > 0) kept_.need_memory(operand);
        }
        lengths.clear();
      }
      if (operation.kind->name == "reduce" && !adds_rows(graph_, operation) &&
          !reduces_nothing(graph_, operation)) {
        length[result] = graph_.type(operation.operands[0]).shape.back();
      } else if (lengths.size() > 1 ||
                 (!lengths.empty() && operation.kind->name == "broadcast_in_dim" &&
                  graph_.type(result).shape.back() != *lengths.begin())) {
        for (const int operand : operation.operands) {
          if (length[operand] > 0) kept_.need_memory(operand);
        }
      } else if (!lengths.empty() &&
                 (operation.kind->name == "reshape" || is_elementwise(*operation.kind))) {
        length[result] = *lengths.begin();
      }
    }
  }

  // Whether a value that is not in memory repeats elements in its own rows and columns.
  bool repeats(int value) const {
    const Operation* operation = graph_.maker(value);
    if (operation == nullptr || around_.in_memory[kept_.base(value)] || around_.in_table[value] ||
        graph_.splat(value) || around_.slices.contains(value)) {
      return false;
    }
    const std::string_view name = operation->kind->name;
    if (name == "broadcast_in_dim") {
      const auto from = graph::element_count(graph_.type(operation->operands[0]).shape);
      return from > 1 && from < graph::element_count(graph_.type(value).shape);
    }
    return (name == "reshape" || is_elementwise(*operation->kind)) &&
           std::ranges::any_of(operation->operands, [&](int operand) { return repeats(operand); });
  }

  // Whether a value that is not in memory repeats rows or columns, whose lengths are then given.
  bool broadcasts(int value) const {
    return any_broadcast(value, [](const Operation&) { return true; });
  }

  // Whether as many elements are in rows of another length than the value's, as where an image is
  // one row.
  bool repeats_others(int value) const {
    const graph::Shape& own = graph_.type(value).shape;
    return any_broadcast(value, [&](const Operation& broadcast) {
      const graph::Shape& shape = graph_.type(broadcast.results[0]).shape;
      return !own.empty() && shape.back() != own.back() &&
             graph::element_count(shape) == graph::element_count(own);
    });
  }

  template <typename Is>
  bool any_broadcast(int value, const Is& is) const {
    std::set<int> seen;
    return any_broadcast(value, is, seen);
  }

  template <typename Is>
  bool any_broadcast(int value, const Is& is, std::set<int>& seen) const {
    const Operation* operation = graph_.maker(value);
    if (!seen.insert(value).second || operation == nullptr ||
        around_.in_memory[kept_.base(value)] || around_.in_table[value] || graph_.splat(value) ||
        around_.slices.contains(value)) {
      return false;
    }
    const bool repeats = operation->kind->name == "broadcast_in_dim" &&
                         graph::element_count(graph_.type(operation->operands[0]).shape) > 1;
    return (repeats && is(*operation)) ||
           std::ranges::any_of(operation->operands,
                               [&](int operand) { return any_broadcast(operand, is, seen); });
  }

  // Elementwise operations on slices' rows.
  bool follows_slices(const Operation& operation) const {
    return is_elementwise(*operation.kind) &&
           std::ranges::any_of(operation.operands, [&](int operand) {
             return around_.slices.contains(operand) ||
                    (sliced_.contains(operand) && !around_.in_memory[kept_.base(operand)]);
           });
  }

  bool reads_slice(const Operation& operation) const {
    return std::ranges::any_of(operation.operands,
                               [&](int operand) { return around_.slices.contains(operand); });
  }

  // Whether a choice is for other rows than the slices', as for a pooling's gradient.
  bool is_reshaped(int value) const {
    return std::ranges::any_of(graph_.operations(), [&](const Operation& operation) {
      return operation.kind->name == "reshape" && operation.operands[0] == value &&
             !is_joined_only(operation.results[0]);
    });
  }

  // Whether a value is combined with what its rows repeat, as in a normalisation, which reads it
  // more than once.
  bool meets_columns(int value) const {
    return std::ranges::any_of(graph_.operations(), [&](const Operation& operation) {
      return is_elementwise(*operation.kind) &&
             std::ranges::count(operation.operands, value) != 0 &&
             std::ranges::any_of(operation.operands, [&](int operand) {
               return operand != value && !graph_.splat(operand) && broadcasts(operand);
             });
    });
  }

  // Whether anything else reads a value that is computed of slices.
  bool leaves_rows(int value) const {
    return std::ranges::any_of(graph_.operations(), [&](const Operation& operation) {
      const bool reads = std::ranges::count(operation.operands, value) != 0;
      if (!reads || is_elementwise(*operation.kind) || joined_rows(graph_, operation)) return false;
      return operation.kind->name != "reshape" || !is_joined_only(operation.results[0]);
    });
  }

  // What joins alone read.
  bool is_joined_only(int value) const {
    const auto all = readers(kept_.base(value));
    const Operation* maker = graph_.maker(kept_.base(value));
    const bool joins = maker != nullptr && joined_rows(graph_, *maker);
    return !all.empty() && std::ranges::all_of(all, [&](const Operation* operation) {
      const auto rows = joined_rows(graph_, *operation);
      return rows && std::ranges::none_of(rows->parts, [&](const JoinedRows::Part& part) {
               return joins && kept_.base(part.value) == kept_.base(value);
             });
    });
  }

  // Other than by products.
  bool is_used_elsewhere(int value) const {
    return std::ranges::any_of(readers(value), [&](const Operation* operation) {
      return kept_.product_of[operation->results[0]] < 0;
    });
  }

  std::vector<const Operation*> readers(int value) const {
    std::vector<const Operation*> readers;
    for (const Operation& operation : graph_.operations()) {
      const bool reads = std::ranges::any_of(
          operation.operands, [&](int operand) { return kept_.base(operand) == value; });
      if (reads && operation.kind->name != "reshape") readers.push_back(&operation);
    }
    return readers;
  }

  KeptValues& kept_;
  const graph::Graph& graph_;
  const Surroundings& around_;
  std::set<int> sliced_;  ///< computed of slices, on their rows
};

}  // namespace

void find_borders(KeptValues& kept) { BorderFinder(kept).run(); }

}  // namespace systole::lowering
