#include "host/lowering/lowered_graph.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "host/graph/join_sums.h"
#include "host/graph/simplify.h"
#include "host/lowering/chosen_elements.h"
#include "host/lowering/cut_parts.h"
#include "host/lowering/element_operations.h"
#include "host/lowering/extents.h"
#include "host/lowering/image_products.h"
#include "host/lowering/plain_shapes.h"
#include "host/lowering/rounded_values.h"
#include "host/lowering/rows_by_products.h"
#include "host/lowering/split_reductions.h"
#include "host/lowering/split_windows.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;

class Lowering {
 public:
  Lowering(const Graph& graph, int lanes, const std::set<std::string>& resident)
      : around_{.graph = graph,
                .lanes = lanes,
                .in_memory = std::vector<bool>(graph.value_count()),
                .in_table = std::vector<bool>(graph.value_count())},
        graph_(graph),
        made_by_(graph.value_count(), -1),
        product_of_(graph.value_count(), -1) {
    lowered_.stored.resize(graph.value_count());
    sort_inputs(resident);
    matches_ = find_products(graph, {.fuses = true, .is_whole_step = true});
    for (const ImageMatch& match : matches_.images) {
      for (MatrixMatch& product : image_products(graph, match)) {
        matches_.matrices.push_back(std::move(product));
      }
    }
    find_slices();
    find_wholes();
    find_table();
    find_drawn();
    find_narrow();
    find_roots();
  }

  LoweredGraph run() {
    for (std::size_t i = 0; i < matches_.matrices.size(); ++i) need_product(static_cast<int>(i));
    for (const auto& [value, root] : std::map(roots_)) need_root(value);
    name_units();
    order_units();
    lowered_.taps = std::move(around_.taps);
    return std::move(lowered_);
  }

 private:
  // ---- What is where ----

  int base(int value) const { return graph_.before_reshapes(value); }

  void sort_inputs(const std::set<std::string>& resident) {
    for (const graph::Input& input : graph_.inputs()) {
      if (graph_.type(input.value).element == graph::Element::kS8) {
        throw graph::GraphError(
            fmt::format("input {} is a {}: the device takes f32 and i32 and converts them itself",
                        input.name, to_string(graph_.type(input.value))));
      }
      const bool is_state = input.updated_by >= 0 || resident.contains(input.name);
      if (!is_state && graph_.type(input.value).rank() == 0) {
        around_.in_table[input.value] = true;
        continue;
      }
      (is_state ? lowered_.state : lowered_.batch).push_back(input.value);
      around_.in_memory[input.value] = true;
      if (is_state) lowered_.stored[input.value].add(Format::kWord);
    }
  }

  void find_slices() {
    for (const Operation& operation : graph_.operations()) {
      if (auto slice = slice_of(graph_, operation)) {
        slice->value = base(slice->value);
        around_.slices.emplace(operation.results[0], *slice);
      }
    }
  }

  void find_wholes() {
    for (const Operation& operation : graph_.operations()) {
      if (!joins_tensors(graph_, operation)) continue;
      const int whole = operation.results[0];
      around_.in_memory[whole] = true;
      std::int64_t first = 0;
      for (const int operand : operation.operands) {
        lowered_.parts[base(operand)] = {.whole = whole, .first = first};
        around_.wholes[base(operand)] = whole;
        parts_of_[whole].push_back(base(operand));
        first += graph::element_count(graph_.type(operand).shape);
      }
    }
  }

  // Scalars that follow from the host's alone.
  void find_table() {
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (operation.results.size() != 1 || graph_.type(result).rank() != 0) continue;
      bool any = false, all = !operation.operands.empty();
      for (const int operand : operation.operands) {
        any = any || around_.in_table[operand];
        all = all && (around_.in_table[operand] || graph_.literal(operand) != nullptr);
      }
      around_.in_table[result] = any && all;
    }
  }

  // What follows from random numbers, constants and the host's scalars alone, as far as the device
  // needs it: the vector engine has no generator.
  void find_drawn() {
    std::vector<bool> is_known(graph_.value_count()), is_drawn(graph_.value_count());
    for (const Operation& operation : graph_.operations()) {
      bool known = true, drawn = operation.kind->name == "rng_bit_generator";
      for (const int operand : operation.operands) {
        known = known && (around_.in_table[operand] || is_known[operand]);
        drawn = drawn || is_drawn[operand];
      }
      for (const int result : operation.results) {
        is_known[result] = known;
        is_drawn[result] = known && drawn;
        if (is_drawn[result]) around_.slices.erase(result);  // the host's
      }
    }
    for (const Operation& operation : graph_.operations()) {
      if (is_drawn[operation.results[0]]) continue;
      for (const int operand : operation.operands) {
        const int value = base(operand);
        if (!is_drawn[operand] || around_.in_memory[value]) continue;
        lowered_.drawn.push_back(value);
        around_.in_memory[value] = true;
        lowered_.stored[value].add(Format::kWord);
      }
    }
  }

  void find_narrow() {
    around_.narrow = find_rounded(graph_, matches_.matrices);
    for (const graph::Input& input : graph_.inputs()) around_.narrow[input.value] = false;
    for (const int value : lowered_.drawn) around_.narrow[value] = false;
    for (const int value : find_gradients(graph_, matches_.matrices)) around_.narrow[value] = true;
    for (MatrixMatch& match : matches_.matrices) match.stays = around_.narrow[match.result];
  }
  Format memory_format(int value) const {
    if (graph_.type(value).element == graph::Element::kS8) return Format::kInt8;
    return around_.narrow[value] ? Format::kBf16 : Format::kWord;
  }

  void find_roots() {
    for (std::size_t i = 0; i < matches_.matrices.size(); ++i) {
      const MatrixMatch& match = matches_.matrices[i];
      for (const int value : {match.result, match.column_sums}) {
        if (value < 0) continue;
        product_of_[value] = static_cast<int>(i);
        around_.in_memory[value] = true;
      }
      lowered_.stored[match.result].add(match.stays ? Format::kBf16 : Format::kWord);
      if (match.column_sums >= 0) lowered_.stored[match.column_sums].add(Format::kWord);
    }
    for (MatrixMatch& match : matches_.matrices) {
      need_format(match.a, format_of_a(match));
      if (match.mask >= 0) need_format(match.mask, Format::kBf16);
      if (match.turned) around_.taps[match.b] = match.images->y.size * match.images->x.size;
      need_format(match.b, format_of_b(match));
      if (match.bias < 0) continue;
      // The array takes a clock for each tile of depth, and loading a bias four.
      constexpr std::int64_t kLoadClocks = 4;
      match.adds_terms = match.form.depth < kLoadClocks * around_.lanes;
      need_format(match.bias, match.adds_terms ? Format::kTerms : Format::kWord);
    }
    for (const auto& [whole, parts] : parts_of_) need_format(whole, memory_format(whole));
    for (const graph::Output& output : graph_.outputs()) find_output(output);
    find_bytes();
    find_totals();
    find_row_lengths();
  }

  void need_format(int value, Format format) {
    if (const auto parts = parts_of_.find(value); parts != parts_of_.end()) {
      lowered_.stored[value].add(format);
      for (const int part : parts->second) {
        need_format(part, format);
        need_memory(part);
      }
      return;
    }
    const bool is_there = lowered_.stored[value].has(format);
    lowered_.stored[value].add(format);
    const bool is_input = graph_.producer(value) < 0;
    if (is_there || is_input) return;
    const bool copies = product_of_[value] >= 0;
    Root& root = roots_.try_emplace(value, Root{.value = value, .formats = {}, .copies = copies})
                     .first->second;
    root.formats.push_back(format);
    if (format == Format::kWord) around_.in_memory[value] = true;
  }

  void find_output(const graph::Output& output) {
    const int value = base(output.value);
    const auto number = &output - graph_.outputs().data();
    const auto input =
        std::ranges::find(graph_.inputs(), static_cast<int>(number), &graph::Input::updated_by);
    const bool is_update = input != graph_.inputs().end();
    if (!is_update && graph_.type(value).rank() != 0) {
      throw graph::GraphError(
          fmt::format("output {} is a {}: the device gives scalars back, and updates what it keeps",
                      output.name, to_string(graph_.type(value))));
    }
    const bool is_product = is_update && product_of_[value] >= 0;  // in the input's place
    if ((around_.in_memory[value] && !is_product) || around_.in_table[value] ||
        graph_.splat(value)) {
      throw graph::GraphError(
          fmt::format("output {} is not computed by the vector engine", output.name));
    }
    need_format(value, Format::kWord);
    if (!is_update) return lowered_.results.emplace_back(output.name, value), void();
    if (const auto kernel = around_.taps.find(input->value); kernel != around_.taps.end()) {
      around_.taps[value] = kernel->second;
    }
    for (const Format format : kAllFormats) {  // all forms of a state are renewed
      if (lowered_.stored[input->value].has(format)) need_format(value, format);
    }
    replaces_[value] = input->value;
  }

  // One kernel has rows of one length: reductions of others, and what repeats them, are apart.
  void find_row_lengths() {
    std::vector<std::int64_t> length(graph_.value_count());  // of the rows that were reduced
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      std::set<std::int64_t> lengths;
      for (const int operand : operation.operands) {
        if (length[operand] > 0 && !around_.in_memory[base(operand)]) {
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
      if (spreads && repeats(operation.operands[0])) need_memory(operation.operands[0]);
      if (!lengths.empty() && (reduces_lengths || repeats_columns)) {
        for (const int operand : operation.operands) {
          if (length[operand] > 0) need_memory(operand);
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
          if (length[operand] > 0) need_memory(operand);
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
    if (operation == nullptr || around_.in_memory[base(value)] || around_.in_table[value] ||
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

  // Values that must be in memory before another kernel can start: sums over rows that are
  // broadcast, reduced again, or added to sums over other rows; and computed scalars, which every
  // lane would compute again.
  void find_totals() {
    std::vector<graph::Shape> total(graph_.value_count());  // the shape that was added up
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      const std::string_view name = operation.kind->name;
      std::set<graph::Shape> shapes;
      for (const int operand : operation.operands) {
        if (!total[operand].empty() && !around_.in_memory[base(operand)]) {
          shapes.insert(total[operand]);
        }
      }
      find_parts(operation);
      const bool stays = name == "reshape" || is_elementwise(*operation.kind);
      if (shapes.size() > 1 || (!shapes.empty() && !stays)) {
        for (const int operand : operation.operands) {
          if (!total[operand].empty()) need_memory(operand);
        }
        shapes.clear();
      }
      if (name == "broadcast_in_dim") need_scalar(operation);
      if (!shapes.empty()) total[result] = *shapes.begin();
      if (adds_rows(graph_, operation) && product_of_[result] < 0) {
        total[result] = graph_.type(operation.operands[0]).shape;
      }
    }
  }
  // Slices are of values in memory. Numbers computed from them are written, so that the rows of
  // slices are those of few kernels. What joins rows is written, for products alone as bf16.
  void find_parts(const Operation& operation) {
    const int result = operation.results[0];
    if (around_.slices.contains(result)) return need_memory(operation.operands[0]);
    if (joined_rows(graph_, operation)) {
      if (is_joined_only(result)) return;
      if (!roots_.contains(result) || is_used_elsewhere(result)) need_memory(result);
      return;
    }
    if (follows_slices(operation)) {
      sliced_.insert(result);
      const bool is_float = graph::is_float(graph_.type(result).element);
      if (is_float ? leaves_rows(result) : around_.narrow[result] && is_reshaped(result)) {
        need_memory(result);
      }
    }
    const Operation* predicate =
        operation.kind->name == "select" ? graph_.maker(operation.operands[0]) : nullptr;
    if (predicate == nullptr || !reads_slice(*predicate)) return;
    for (const int operand : operation.operands) {
      if (broadcasts(operand)) need_memory(operand);
    }
  }
  // Elementwise operations on slices' rows.
  bool follows_slices(const Operation& operation) const {
    return is_elementwise(*operation.kind) &&
           std::ranges::any_of(operation.operands, [&](int operand) {
             return around_.slices.contains(operand) || sliced_.contains(operand);
           });
  }
  // Whether a choice is for other rows than the slices', as for a pooling's gradient.
  bool is_reshaped(int value) const {
    return std::ranges::any_of(graph_.operations(), [&](const Operation& operation) {
      return operation.kind->name == "reshape" && operation.operands[0] == value &&
             !is_joined_only(operation.results[0]);
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
  bool reads_slice(const Operation& operation) const {
    return std::ranges::any_of(operation.operands,
                               [&](int operand) { return around_.slices.contains(operand); });
  }
  // Whether a value that is not in memory repeats rows or columns, whose lengths are then given.
  bool broadcasts(int value) const {
    std::set<int> seen;
    return broadcasts(value, seen);
  }
  bool broadcasts(int value, std::set<int>& seen) const {
    const Operation* operation = graph_.maker(value);
    if (!seen.insert(value).second || operation == nullptr || around_.in_memory[base(value)] ||
        around_.in_table[value] || graph_.splat(value) || around_.slices.contains(value)) {
      return false;
    }
    const bool repeats = operation->kind->name == "broadcast_in_dim" &&
                         graph::element_count(graph_.type(operation->operands[0]).shape) > 1;
    return repeats || std::ranges::any_of(operation->operands,
                                          [&](int operand) { return broadcasts(operand, seen); });
  }
  std::vector<const Operation*> readers(int value) const {
    std::vector<const Operation*> readers;
    for (const Operation& operation : graph_.operations()) {
      const bool reads = std::ranges::any_of(operation.operands,
                                             [&](int operand) { return base(operand) == value; });
      if (reads && operation.kind->name != "reshape") readers.push_back(&operation);
    }
    return readers;
  }
  // What joins alone read.
  bool is_joined_only(int value) const {
    const auto all = readers(base(value));
    const Operation* maker = graph_.maker(base(value));
    const bool joins = maker != nullptr && joined_rows(graph_, *maker);
    return !all.empty() && std::ranges::all_of(all, [&](const Operation* operation) {
      const auto rows = joined_rows(graph_, *operation);
      return rows && std::ranges::none_of(rows->parts, [&](const JoinedRows::Part& part) {
               return joins && base(part.value) == base(value);
             });
    });
  }
  // Other than by products.
  bool is_used_elsewhere(int value) const {
    return std::ranges::any_of(readers(value), [&](const Operation* operation) {
      return product_of_[operation->results[0]] < 0;
    });
  }
  // What becomes int8 goes through memory, as a stream saturates it.
  void find_bytes() {
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      const bool is_byte = graph_.type(result).element == graph::Element::kS8;
      if (is_byte && operation.kind->name == "convert") need_memory(result);
    }
  }
  void need_memory(int value) {
    if (around_.in_memory[base(value)]) return;
    need_format(base(value), memory_format(base(value)));
    around_.in_memory[base(value)] = true;
  }
  void need_scalar(const Operation& broadcast) {
    const int from = broadcast.operands[0];
    const bool spreads = graph::element_count(graph_.type(from).shape) == 1 &&
                         graph::element_count(graph_.type(broadcast.results[0]).shape) > 1;
    if (spreads && !around_.in_table[from] && !graph_.splat(from)) need_memory(from);
  }

  // ---- Units ----

  int level_of(int value) {
    if (const auto parts = parts_of_.find(value); parts != parts_of_.end()) {
      int level = 0;
      for (const int part : parts->second) level = std::max(level, level_of_part(part));
      return level;
    }
    if (std::ranges::count(lowered_.drawn, value) != 0) return 0;
    if (product_of_[value] >= 0) return need_product(product_of_[value]);
    if (graph_.producer(value) < 0) return 0;
    return need_root(value);
  }

  // Of all its formats.
  int level_of_part(int value) {
    const int level = level_of(value);
    return roots_.contains(value) ? std::max(level, need_root(value)) : level;
  }

  // What a unit that reads a value reads.
  std::vector<int> read(int value) const {
    std::vector<int> values = {value};
    if (const auto parts = parts_of_.find(value); parts != parts_of_.end()) {
      values.insert(values.end(), parts->second.begin(), parts->second.end());
    }
    return values;
  }
  void add_read(Unit& unit, int value) const {
    const std::vector<int> values = read(value);
    unit.reads.insert(unit.reads.end(), values.begin(), values.end());
  }

  int need_product(int index) {
    const MatrixMatch& match = matches_.matrices[static_cast<std::size_t>(index)];
    if (made_by_[match.result] >= 0) return unit_of(match.result).level;
    Unit unit;
    unit.work = match;
    for (const int value : {match.a, match.b, match.bias, match.mask}) {
      if (value < 0) continue;
      add_read(unit, value);
      const bool is_copied = product_of_[value] >= 0 && roots_.contains(value);
      unit.level = std::max(unit.level, 1 + (is_copied ? need_root(value) : level_of(value)));
    }
    for (const int value : {match.result, match.column_sums}) {
      if (value >= 0) unit.writes.push_back(value);
    }
    return add(std::move(unit));
  }

  int add(Unit unit) {
    const auto index = static_cast<int>(lowered_.units.size());
    for (const int value : unit.writes) {
      if (unit.product() != nullptr || product_of_[value] < 0) made_by_[value] = index;
    }
    lowered_.units.push_back(std::move(unit));
    return lowered_.units.back().level;
  }

  Unit& unit_of(int value) { return lowered_.units[static_cast<std::size_t>(made_by_[value])]; }

  // The level of the kernel that writes a root.
  int need_root(int value) {
    if (const auto known = kernel_of_.find(value); known != kernel_of_.end()) {
      return lowered_.units[static_cast<std::size_t>(known->second)].level;
    }
    need_reads(value);
    if (join(value)) return lowered_.units[static_cast<std::size_t>(kernel_of_[value])].level;
    KernelCode code = write_alone(value);
    const int level = level_above(code);
    kernel_of_[value] = static_cast<int>(lowered_.units.size());
    written_.push_back({kernel_of_[value], {value}});
    return add(kernel_unit(std::move(code), {value}, level));
  }

  // What a root reads first, which may go into the same kernel; but for what has no rows alone,
  // which joins another kernel or is refused when it is written.
  void need_reads(int value) {
    const std::optional<Extents> extents = extents_alone(value);
    if (!extents) return;
    for (const auto& [read, extent] : extents->all()) {
      const int from = base(read);
      const bool is_root = product_of_[from] < 0 && roots_.contains(from);
      if (from == value || !extents->is_read(read) || !is_root) continue;
      if (extents_alone(from)) need_root(from);
    }
  }
  std::optional<Extents> extents_alone(int root) const {
    try {
      return std::optional<Extents>(std::in_place, around_, std::span(&roots_.at(root), 1));
    } catch (const graph::GraphError&) {
      return std::nullopt;
    }
  }

  int level_above(const KernelCode& code) {
    int level = 1;
    for (const auto* ports : {&code.in, &code.finish_in}) {
      for (const Port& port : *ports) {
        if (graph_.producer(port.value) < 0) lowered_.stored[port.value].add(Format::kWord);
        level = std::max(level, 1 + level_of(port.value));
      }
    }
    return level;
  }

  std::vector<Root> roots_of(const std::vector<int>& values) const {
    std::vector<Root> roots;
    for (const int value : values) roots.push_back(roots_.at(value));
    return roots;
  }

  // Into a kernel over the same elements that needs nothing later for it.
  bool join(int value) {
    // By number, as level_above may write more kernels.
    for (std::size_t i = written_.size(); i-- > 0;) {
      const auto index = static_cast<std::size_t>(written_[i].first);
      std::vector<int> all = written_[i].second;
      all.push_back(value);
      KernelCode joined;
      try {
        joined = write_kernel(around_, roots_of(all));
      } catch (const std::length_error&) {
        continue;
      } catch (const graph::GraphError&) {
        continue;
      }
      const KernelCode& code = *lowered_.units[index].kernel();
      const int level = lowered_.units[index].level;
      if (code.rows != joined.rows || code.cols != joined.cols) continue;
      if (overwrites_unread(joined)) continue;
      if (level_above(joined) != level) continue;
      lowered_.units[index] = kernel_unit(std::move(joined), all, level);
      written_[i].second = all;
      kernel_of_[value] = written_[i].first;
      if (product_of_[value] < 0) made_by_[value] = written_[i].first;
      return true;
    }
    return false;
  }

  Unit kernel_unit(KernelCode code, const std::vector<int>& roots, int level) {
    Unit unit;
    unit.work = std::move(code);
    unit.writes = roots;
    unit.level = level;
    for (const auto* ports : {&unit.kernel()->in, &unit.kernel()->finish_in}) {
      for (const Port& port : *ports) add_read(unit, port.value);
    }
    for (const int root : roots) {
      if (replaces_.contains(root)) unit.replaces.push_back(replaces_.at(root));
    }
    return unit;
  }

  // A root that does not fit into a kernel reads a part of it from memory.
  KernelCode write_alone(int value) {
    constexpr int kMostParts = 256;
    for (int part = 0; part < kMostParts; ++part) {
      const Root root = roots_.at(value);
      try {
        return write_kernel(around_, std::span(&root, 1));
      } catch (const std::length_error&) {
        if (!split(root)) break;
      }
    }
    fail(value, "it does not fit into micro-programs of the vector engine");
  }

  // Puts the latest operation before `root` that fits into a kernel of its own into memory.
  bool split(const Root& root) {
    const Extents extents(around_, std::span(&root, 1));
    std::vector<int> values;
    for (const auto& [value, extent] : extents.all()) {
      const Operation* operation = graph_.maker(value);
      const bool is_small = extent == Extent::kScalar || extent == Extent::kColumn;
      if (value == root.value || operation == nullptr || extents.is_read(value) ||
          (is_small && !adds_rows(graph_, *operation)) || roots_.contains(value) ||
          operation->operands.empty() || operation->kind->name == "reshape" ||
          operation->kind->name == "broadcast_in_dim") {
        continue;
      }
      values.push_back(value);
    }
    std::ranges::sort(values, std::greater<>(), [&](int value) { return graph_.producer(value); });
    for (const int value : values) {
      const Root part{.value = value, .formats = {memory_format(value)}};
      try {
        write_kernel(around_, std::span(&part, 1));
      } catch (const std::length_error&) {
        continue;
      }
      need_memory(value);
      return true;
    }
    return false;
  }

  [[noreturn]] void fail(int value, std::string_view why) const {
    graph_.call(*graph_.maker(value)).fail("{}", why);
  }

  // ---- Order ----

  void name_units() {
    for (Unit& unit : lowered_.units) {
      std::set<std::string> scopes;
      for (const int value : unit.writes) scopes.insert(graph_.maker(value)->scope);
      unit.name = fmt::format("{}", fmt::join(scopes, ", "));
      if (const KernelCode* code = unit.kernel()) {
        for (const Section* section : code->sections()) {
          for (const Section::TableUse& use : section->table) {
            if (std::ranges::count(lowered_.table, use.scalar) == 0) {
              lowered_.table.push_back(use.scalar);
            }
          }
        }
        if (overwrites_unread(*code)) {
          fail(unit.writes.back(), "the device cannot update it in place, row by row");
        }
      }
    }
  }

  // In place, a word may only be written where it was read.
  bool overwrites_unread(const KernelCode& code) const {
    const bool rereads = std::ranges::any_of(code.out, [&](const Port& port) {
      const auto replaced = replaces_.find(port.value);
      return replaced != replaces_.end() &&
             std::ranges::find(code.in, replaced->second, &Port::value) != code.in.end();
    });
    return rereads && code.writes_ahead(around_.lanes);
  }

  // By level, but what replaces an input comes after all others that read it.
  void order_units() {
    const std::vector<Unit>& units = lowered_.units;
    std::vector<std::vector<std::size_t>> before(units.size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      for (const int value : units[i].reads) {
        for (std::size_t j = 0; j < units.size(); ++j) {
          if (i == j) continue;
          if (std::ranges::count(units[j].writes, value) != 0) before[i].push_back(j);
          if (std::ranges::count(units[j].replaces, value) != 0) before[j].push_back(i);
        }
      }
    }
    std::vector<Unit> ordered;
    std::vector<bool> placed(units.size());
    while (ordered.size() < units.size()) {
      std::size_t next = units.size();
      for (std::size_t i = 0; i < units.size(); ++i) {
        const bool ready =
            !placed[i] && std::ranges::all_of(before[i], [&](std::size_t j) { return placed[j]; });
        if (ready && (next == units.size() || units[i].level < units[next].level)) next = i;
      }
      if (next == units.size()) {
        throw graph::GraphError("the device would overwrite a parameter that it still needs");
      }
      placed[next] = true;
      ordered.push_back(std::move(lowered_.units[next]));
    }
    lowered_.units = std::move(ordered);
  }

  Surroundings around_;
  const Graph& graph_;
  LoweredGraph lowered_;
  ProductMatches matches_;
  std::map<int, std::vector<int>> parts_of_;  ///< by the value that has them
  std::set<int> sliced_;                      ///< computed of slices, on their rows
  std::map<int, Root> roots_;
  std::map<int, int> replaces_;                            ///< an input, by its next value
  std::map<int, int> kernel_of_;                           ///< the unit that writes a root
  std::vector<std::pair<int, std::vector<int>>> written_;  ///< kernels and their roots
  std::vector<int> made_by_, product_of_;                  ///< by value: unit, product
};

}  // namespace

LoweredGraph lower_graph(const Graph& graph, int lanes, const std::set<std::string>& resident,
                         const std::optional<Quantization>& quantization) {
  auto simple = graph::simplify(*graph::join_sums(graph, graph::SumsJoined::kOfFactors));
  simple = split_windows(*rows_by_products(*chosen_elements(*plain_shapes(*simple))));
  if (quantization) simple = quantize_products(*simple, *quantization);
  simple = cut_parts(*split_reductions(*simple, kSlots * lanes));
  simple = separate_parts(*simple);
  LoweredGraph lowered = Lowering(*simple, lanes, resident).run();
  lowered.graph = std::move(simple);
  return lowered;
}

int LoweredGraph::replaced_by(int value) const {
  for (const graph::Input& input : graph->inputs()) {
    if (input.updated_by < 0) continue;
    const int next = graph->outputs()[static_cast<std::size_t>(input.updated_by)].value;
    if (graph->before_reshapes(next) == value) return input.value;
  }
  return -1;
}

}  // namespace systole::lowering
