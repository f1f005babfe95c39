#include "host/lowering/unit_order.h"

#include <algorithm>

namespace systole::lowering {

// By level, but what replaces an input comes after all others that read it.
void order_units(LoweredGraph& lowered) {
  const std::vector<Unit>& units = lowered.units;
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
    ordered.push_back(std::move(lowered.units[next]));
  }
  lowered.units = std::move(ordered);
}

}  // namespace systole::lowering
