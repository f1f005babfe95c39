#include "host/compiler/units/costly_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/compiler/units/split_kernel.h"

namespace systole::lowering {
namespace {

using graph::Operation;

/// Clocks for a word that a value saves at least: it takes a stream each way.
constexpr std::int64_t kLeastSaved = 8;

class CostlyFinder {
 public:
  CostlyFinder(KeptValues& kept, const DeviceSizes& sizes)
      : kept_(kept),
        sizes_(sizes),
        graph_(kept.around.graph),
        readers_(graph_.value_count()),
        found_(graph_.value_count()) {
    for (const Operation& operation : graph_.operations()) {
      for (const int operand : std::set(operation.operands.begin(), operation.operands.end())) {
        readers_[operand].push_back(operation.results[0]);
      }
    }
  }

  bool run() {
    for (std::size_t i = graph_.operations().size(); i-- > 0;) visit(graph_.operations()[i]);
    return keeps_any_;
  }

 private:
  /// How kernels use a value.
  struct Use {
    std::set<int> roots;    ///< what they write, and compute the value for
    bool is_late = false;   ///< some of these need another of them first
    bool leads = false;     ///< one of these needs it other than for a value that is late, too
    bool is_cheap = false;  ///< to compute again
  };

  void visit(const Operation& operation) {
    const int value = operation.results[0];
    if (kept_.on_host[value] || kept_.product_of[value] >= 0) return;
    Use& use = found_[value];
    if (kept_.roots.contains(value)) use.roots.insert(value);
    if (is_in_memory(value)) return;
    for (const int reader : readers_[value]) {
      use.roots.insert(found_[reader].roots.begin(), found_[reader].roots.end());
      use.is_cheap = use.is_cheap || found_[reader].is_cheap;
    }
    if (use.roots.size() < 2) return;
    const int first =
        *std::ranges::min_element(use.roots, {}, [&](int root) { return graph_.producer(root); });
    const auto is_later = [&](int root) { return root != first && needs(root, first); };
    use.is_late = std::ranges::any_of(use.roots, is_later);
    use.leads = use.is_late && std::ranges::any_of(readers_[value], [&](int reader) {
                  const Use& its = found_[reader];
                  return std::ranges::any_of(its.roots, is_later) && (!its.is_late || its.leads);
                });
    if (!use.leads || use.is_cheap || !can_be_kept(operation)) return;
    const std::optional<std::int64_t> clocks = clocks_of(value);
    if (!clocks) return;
    use.is_cheap = *clocks < kLeastSaved;
    if (use.is_cheap) return;
    kept_.need_memory(value);
    keeps_any_ = true;
    use = {.roots = {first}};  // whose kernel writes it, too
  }

  bool is_in_memory(int value) const { return kept_.around.in_memory[kept_.base(value)]; }

  bool can_be_kept(const Operation& operation) const {
    const int value = operation.results[0];
    const std::string_view name = operation.kind->name;
    return !operation.operands.empty() && graph_.type(value).element == graph::Element::kF32 &&
           !kept_.around.narrow[value] && graph::element_count(graph_.type(value).shape) > 1 &&
           name != "reshape" && name != "broadcast_in_dim";
  }

  /// What a word takes the vector engine or its bus in a kernel of its own, beside one stream;
  /// nothing if there is no such kernel.
  std::optional<std::int64_t> clocks_of(int value) {
    const Root root{.value = value, .formats = {Format::kWord}};
    auto code = write_kernel(kept_.around, std::span(&root, 1));
    for (auto* refusal = std::get_if<Refusal>(&code); refusal != nullptr;) {
      if (!refusal->is_a_limit) return {};
      const auto is_split = split_kernel(kept_, root);
      if (!std::holds_alternative<bool>(is_split) || !std::get<bool>(is_split)) return {};
      code = write_kernel(kept_.around, std::span(&root, 1));
      refusal = std::get_if<Refusal>(&code);
    }
    const auto& kernel = std::get<KernelCode>(code);
    std::int64_t bytes = -stream_bytes(Format::kWord);
    for (const Port& port : kernel.in) bytes += stream_bytes(port.format);
    return std::max(std::ssize(kernel.body.program.code),
                    bytes * sizes_.array_size / sizes_.beat_bytes());
  }

  /// Whether a value follows from another.
  bool needs(int value, int from) {
    const auto [known, is_new] = needs_.try_emplace({value, from});
    if (!is_new) return known->second;
    std::set<int> seen;
    std::vector<int> open = {value};
    while (!open.empty()) {
      const int next = open.back();
      open.pop_back();
      if (next == from) return known->second = true;
      const Operation* maker = graph_.maker(next);
      if (maker == nullptr || graph_.producer(next) <= graph_.producer(from)) continue;
      for (const int operand : maker->operands) {
        if (seen.insert(operand).second) open.push_back(operand);
      }
    }
    return false;
  }

  KeptValues& kept_;
  const DeviceSizes& sizes_;
  const graph::Graph& graph_;
  std::vector<std::vector<int>> readers_;  ///< by value: results of the operations that read it
  std::vector<Use> found_;                 ///< by value
  std::map<std::pair<int, int>, bool> needs_;
  bool keeps_any_ = false;
};

}  // namespace

bool keep_costly(KeptValues& kept, const DeviceSizes& sizes) {
  return CostlyFinder(kept, sizes).run();
}

}  // namespace systole::lowering
