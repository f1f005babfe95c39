#include "host/compiler/units/unit_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>
#include <utility>

namespace systole::lowering {

namespace {

/// Whether a product of the step needs what a unit makes, if only after others.
std::vector<bool> leads_to_products(const std::vector<Unit>& units) {
  std::vector<std::size_t> by_level(units.size());
  std::iota(by_level.begin(), by_level.end(), std::size_t{0});
  std::ranges::sort(by_level, std::greater<>(), [&](std::size_t i) { return units[i].level; });
  std::vector<bool> leads(units.size());
  std::set<int> needed;  // values
  for (const std::size_t i : by_level) {
    const Unit& unit = units[i];
    leads[i] = std::ranges::any_of(unit.writes, [&](int value) { return needed.contains(value); });
    if (leads[i] || unit.product() != nullptr) needed.insert(unit.reads.begin(), unit.reads.end());
  }
  return leads;
}

/// Whether two units go through other columns of the same values.
bool are_apart(const Unit& one, const Unit& other) {
  return one.columns.count > 0 && other.columns.count > 0 && one.columns != other.columns;
}

/// All cores meet in the same order, that of the graph's sums, whatever else they compute.
void keep_meetings_in_order(const std::vector<Unit>& units, const graph::Graph& graph,
                            std::vector<std::vector<std::size_t>>& before) {
  std::vector<std::size_t> meetings;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (units[i].kernel() != nullptr && units[i].kernel()->meets_neighbours()) {
      meetings.push_back(i);
    }
  }
  std::ranges::stable_sort(meetings, {}, [&](std::size_t i) {
    return std::pair(graph.producer(units[i].sum), units[i].turn);
  });
  for (std::size_t i = 1; i < meetings.size(); ++i) {
    before[meetings[i]].push_back(meetings[i - 1]);
  }
}

/// Names a parameter whose memory a unit takes while another, which needs that unit's result, reads
/// the old value, and both.
Refusal waiting(const graph::Graph& graph, const std::vector<Unit>& units,
                const std::vector<bool>& placed) {
  for (std::size_t writer = 0; writer < units.size(); ++writer) {
    for (std::size_t reader = 0; reader < units.size(); ++reader) {
      if (placed[writer] || placed[reader] || reader == writer) continue;
      for (const int value : units[writer].replaces) {
        if (std::ranges::count(units[reader].reads, value) == 0) continue;
        const auto input = std::ranges::find(graph.inputs(), value, &graph::Input::value);
        return {
            fmt::format("{}: this product is the next value of '{}', whose old value {} needs "
                        "after it: make the next value more than a product, such as w - rate * "
                        "product, or run products one by one (systole_compile)",
                        units[writer].name, input->name, units[reader].name)};
      }
    }
  }
  return {"the step's operations wait for each other"};
}

}  // namespace

// By level, but what replaces an input comes after all others that read it. Of one level, what no
// product needs comes last: a weight's gradient fills the time in which the gradient of the images
// goes through kernels.
std::optional<Refusal> order_units(LoweredGraph& lowered, const graph::Graph& graph) {
  const std::vector<Unit>& units = lowered.units;
  std::vector<std::vector<std::size_t>> before(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const int value : units[i].reads) {
      for (std::size_t j = 0; j < units.size(); ++j) {
        if (i == j || are_apart(units[i], units[j])) continue;
        if (std::ranges::count(units[j].writes, value) != 0) before[i].push_back(j);
        if (std::ranges::count(units[j].replaces, value) != 0) before[j].push_back(i);
      }
    }
  }
  keep_meetings_in_order(units, graph, before);
  const std::vector<bool> leads = leads_to_products(units);
  const auto rank = [&](std::size_t i) { return std::pair(units[i].level, !leads[i]); };
  std::vector<std::size_t> order;
  std::vector<bool> placed(units.size());
  while (order.size() < units.size()) {
    std::size_t next = units.size();
    for (std::size_t i = 0; i < units.size(); ++i) {
      const bool ready =
          !placed[i] && std::ranges::all_of(before[i], [&](std::size_t j) { return placed[j]; });
      if (ready && (next == units.size() || rank(i) < rank(next))) next = i;
    }
    if (next == units.size()) return waiting(graph, units, placed);
    placed[next] = true;
    order.push_back(next);
  }
  std::vector<Unit> ordered;
  for (const std::size_t i : order) ordered.push_back(std::move(lowered.units[i]));
  lowered.units = std::move(ordered);
  return {};
}

}  // namespace systole::lowering
