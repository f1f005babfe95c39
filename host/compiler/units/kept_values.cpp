#include "host/compiler/units/kept_values.h"

#include <algorithm>

#include "host/compiler/kernels/core_sums.h"
#include "host/compiler/kernels/wide_kernels.h"
#include "host/compiler/rewrites/cut_parts.h"
#include "host/compiler/rewrites/separate_outputs.h"
#include "host/compiler/units/image_products.h"
#include "host/compiler/units/kernel_borders.h"
#include "host/compiler/units/rounded_values.h"

namespace systole::lowering {
namespace {

using graph::Graph;
using graph::Operation;

class KeptFinder {
 public:
  KeptFinder(const Graph& graph, int lanes, int core)
      : kept_(graph, lanes, core),
        graph_(graph),
        around_(kept_.around),
        lowered_(kept_.lowered),
        products_(kept_.products) {}

  KeptValues run(const std::set<std::string>& resident) {
    sort_inputs(resident);
    ProductMatches matches = find_products(graph_, Fuses::kAll);
    products_ = std::move(matches.matrices);
    for (const ImageMatch& match : matches.images) {
      for (MatrixMatch& product : image_products(graph_, match)) {
        products_.push_back(std::move(product));
      }
    }
    find_wide();
    find_slices();
    find_wholes();
    find_table();
    find_drawn();
    find_narrow();
    place_products();
    need_operands();
    need_sums();
    for (const auto& [whole, parts] : kept_.parts_of) {
      kept_.need_format(whole, kept_.memory_format(whole));
    }
    for (const graph::Output& output : graph_.outputs()) find_output(output);
    find_borders(kept_);
    return std::move(kept_);
  }

 private:
  void sort_inputs(const std::set<std::string>& resident) {
    for (const graph::Input& input : graph_.inputs()) {
      const bool is_state = input.updated_by >= 0 || resident.contains(input.name);
      if (!is_state && graph_.type(input.value).rank() == 0) {
        around_.in_table[input.value] = true;
        continue;
      }
      (is_state ? lowered_.state : lowered_.batch).push_back(input.value);
      around_.in_memory[input.value] = true;
      if (is_state) lowered_.stored[input.value].add(word_format(graph_.type(input.value)));
    }
  }

  // Which products have a wide kernel: forward and for images, and those of the same images for it.
  void find_wide() {
    for (const MatrixMatch& wide : std::vector(products_)) {
      const Operation* maker = graph_.maker(wide.b);
      if (maker == nullptr || !is_wide_kernel(*maker)) continue;
      const KernelColumns columns = columns_of(graph_, *maker);
      for (MatrixMatch& match : products_) {
        const bool is_its = match.b == wide.b || (match.a == wide.a && match.images == wide.images);
        if (!is_its) continue;
        match.all_columns = columns.all;
        match.kernel_columns = columns.kernel;
      }
    }
  }

  void find_slices() {
    for (const Operation& operation : graph_.operations()) {
      if (auto slice = slice_of(graph_, operation)) {
        slice->value = kept_.base(slice->value);
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
        lowered_.parts[kept_.base(operand)] = {.whole = whole, .first = first};
        around_.wholes[kept_.base(operand)] = whole;
        kept_.parts_of[whole].push_back(kept_.base(operand));
        first += graph::element_count(graph_.type(operand).shape);
      }
    }
  }

  // Scalars that follow from the host's alone.
  void find_table() {
    for (const Operation& operation : graph_.operations()) {
      const int result = operation.results[0];
      if (operation.results.size() != 1 || graph_.type(result).rank() != 0 ||
          is_copy(graph_, operation) || is_core_sum(operation)) {
        continue;
      }
      bool any = false, all = !operation.operands.empty();
      for (const int operand : operation.operands) {
        any = any || around_.in_table[operand];
        all = all && (around_.in_table[operand] || graph_.literal(operand) != nullptr);
      }
      around_.in_table[result] = any && all;
    }
  }

  // What follows from random numbers, constants and the host's scalars alone, as far as the device
  // needs it: the vector engine has no generator, and no constants but numbers. What no scalar
  // changes is the same in every step. No kernel computes what the host alone reads.
  void find_drawn() {
    std::vector<bool> is_known(graph_.value_count()), is_drawn(graph_.value_count());
    std::vector<bool> is_fixed(graph_.value_count());
    for (const Operation& operation : graph_.operations()) {
      bool known = !is_copy(graph_, operation) && !is_core_sum(operation), fixed = true;
      bool drawn = operation.kind->name == "rng_bit_generator" || is_table_of_numbers(operation);
      const bool repeats = operation.kind->name == "broadcast_in_dim" &&
                           around_.slices.contains(operation.results[0]);
      for (const int operand : operation.operands) {
        known = known && (around_.in_table[operand] || is_known[operand]);
        fixed = fixed && is_fixed[operand];
        drawn = drawn || is_drawn[operand];
      }
      for (const int result : operation.results) {
        is_known[result] = known;
        is_fixed[result] = known && fixed;
        is_drawn[result] = known && drawn && !repeats;
        if (is_drawn[result]) around_.slices.erase(result);  // the host's
      }
    }
    std::vector<bool> is_needed(graph_.value_count());  // on the device
    for (const graph::Output& output : graph_.outputs()) is_needed[output.value] = true;
    for (std::size_t i = graph_.operations().size(); i-- > 0;) {
      const Operation& operation = graph_.operations()[i];
      const int result = operation.results[0];
      kept_.on_host[result] =
          is_drawn[result] ||
          std::ranges::none_of(operation.results, [&](int r) { return is_needed[r]; });
      if (kept_.on_host[result]) continue;
      for (const int operand : operation.operands) is_needed[operand] = true;
    }
    for (const Operation& operation : graph_.operations()) {
      if (kept_.on_host[operation.results[0]]) continue;
      for (const int operand : operation.operands) {
        const int value = kept_.base(operand);
        if (!is_drawn[operand] || around_.in_memory[value]) continue;
        (is_fixed[operand] ? lowered_.constants : lowered_.drawn).push_back(value);
        around_.in_memory[value] = true;
        lowered_.stored[value].add(Format::kWord);
      }
    }
  }

  // A constant whose elements differ.
  bool is_table_of_numbers(const Operation& operation) const {
    const int result = operation.results[0];
    return graph_.literal(result) != nullptr && !graph_.splat(result);
  }

  void find_narrow() {
    around_.narrow = find_rounded(graph_, products_);
    for (const graph::Input& input : graph_.inputs()) around_.narrow[input.value] = false;
    for (const auto* written : {&lowered_.drawn, &lowered_.constants}) {
      for (const int value : *written) around_.narrow[value] = false;
    }
    for (const int value : find_gradients(graph_, products_)) around_.narrow[value] = true;
    for (const int value : find_images(graph_, products_)) {
      if (!lowered_.parts.contains(value)) around_.narrow[value] = true;
    }
    for (MatrixMatch& match : products_) match.rounds = around_.narrow[match.result];
  }

  void place_products() {
    for (std::size_t i = 0; i < products_.size(); ++i) {
      const MatrixMatch& match = products_[i];
      for (const int value : {match.result, match.column_sums}) {
        if (value < 0) continue;
        kept_.product_of[value] = static_cast<int>(i);
        around_.in_memory[value] = true;
      }
      lowered_.stored[match.result].add(match.rounds ? Format::kBf16 : Format::kWord);
      if (match.column_sums >= 0) lowered_.stored[match.column_sums].add(Format::kWord);
    }
  }

  void need_operands() {
    for (MatrixMatch& match : products_) {
      kept_.need_format(match.a, format_of_a(match));
      if (match.mask >= 0) kept_.need_format(match.mask, Format::kBf16);
      if (match.turned) around_.taps[match.b] = match.images->y.size * match.images->x.size;
      kept_.need_format(match.b, format_of_b(match));
      const Operation* maker = graph_.maker(match.b);
      if (maker != nullptr && is_wide_kernel(*maker)) kept_.need_memory(maker->operands[0]);
      if (match.bias < 0) continue;
      // The array takes a clock for each tile of depth, and loading a bias four. It waits for the
      // bank's last store, and patches wait behind it, so for a convolution it counts twice.
      const std::int64_t load_clocks = match.images ? 8 : 4;
      match.adds_terms = match.form.depth < load_clocks * around_.lanes;
      kept_.need_format(match.bias, match.adds_terms ? Format::kTerms : Format::kWord);
    }
  }

  // What cores add is in memory before and after.
  void need_sums() {
    for (const Operation& operation : graph_.operations()) {
      if (!is_core_sum(operation)) continue;
      const CoreTerm term = term_of(graph_, operation);
      const bool is_number = term.value >= 0 && around_.in_table[term.value];
      graph_.call(operation).need(!is_number,
                                  "a core knows its number before the step: add it "
                                  "up on the host");
      if (term.value >= 0) {
        kept_.need_format(term.value, Format::kWord);
        around_.in_memory[term.value] = true;
      }
      kept_.need_format(operation.results[0], Format::kWord);
    }
  }

  void find_output(const graph::Output& output) {
    const int value = kept_.base(output.value);
    const auto number = &output - graph_.outputs().data();
    const auto input =
        std::ranges::find(graph_.inputs(), static_cast<int>(number), &graph::Input::updated_by);
    kept_.need_format(value, word_format(graph_.type(value)));
    if (input == graph_.inputs().end()) {
      lowered_.results.emplace_back(output.name, value);
      return;
    }
    if (const auto kernel = around_.taps.find(input->value); kernel != around_.taps.end()) {
      around_.taps[value] = kernel->second;
    }
    for (const Format format : kAllFormats) {  // all forms of a state are renewed
      if (lowered_.stored[input->value].has(format)) kept_.need_format(value, format);
    }
    kept_.replaces[value] = input->value;
  }

  KeptValues kept_;
  const Graph& graph_;
  Surroundings& around_;
  LoweredGraph& lowered_;
  std::vector<MatrixMatch>& products_;
};

}  // namespace

KeptValues::KeptValues(const Graph& graph, int lanes, int core)
    : around{.graph = graph,
             .lanes = lanes,
             .in_memory = std::vector<bool>(graph.value_count()),
             .in_table = std::vector<bool>(graph.value_count())},
      product_of(graph.value_count(), -1),
      on_host(graph.value_count()),
      core(core) {
  lowered.stored.resize(graph.value_count());
}

KeptValues find_kept(const Graph& graph, int lanes, const std::set<std::string>& resident,
                     int core) {
  return KeptFinder(graph, lanes, core).run(resident);
}

Format KeptValues::memory_format(int value) const {
  return around.narrow[value] ? Format::kBf16 : word_format(around.graph.type(value));
}

void KeptValues::need_format(int value, Format format) {
  if (const auto parts = parts_of.find(value); parts != parts_of.end()) {
    lowered.stored[value].add(format);
    for (const int part : parts->second) {
      need_format(part, format);
      need_memory(part);
    }
    return;
  }
  const bool is_there = lowered.stored[value].has(format);
  lowered.stored[value].add(format);
  const bool is_input = around.graph.producer(value) < 0 || lowered.is_written_by_host(value);
  if (is_there || is_input) return;
  const bool copies = product_of[value] >= 0;
  Root& root =
      roots.try_emplace(value, Root{.value = value, .formats = {}, .copies = copies}).first->second;
  root.formats.push_back(format);
  if (format == Format::kWord) around.in_memory[value] = true;
}

void KeptValues::need_memory(int value) {
  if (around.in_memory[base(value)]) return;
  need_format(base(value), memory_format(base(value)));
  around.in_memory[base(value)] = true;
}

}  // namespace systole::lowering
