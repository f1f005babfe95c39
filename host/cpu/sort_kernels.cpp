#include <map>
#include <set>

#include "host/cpu/grouping.h"

namespace systole::graph {

void sort_kernels(Kernels& all, const std::vector<double>& orders) {
  std::vector<Kernel>& kernels = all.kernels;
  std::map<int, std::size_t> writer;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    for (const int value : kernels[k].writes) writer[value] = k;
  }
  std::vector<std::set<std::size_t>> after(kernels.size());
  std::vector<std::size_t> waits(kernels.size());
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    std::set<std::size_t> before;
    for (const int value : kernels[k].reads) {
      const auto found = writer.find(all.storage.base(value));
      if (found != writer.end()) before.insert(found->second);
    }
    waits[k] = before.size();
    for (const std::size_t b : before) after[b].insert(k);
  }
  std::set<std::pair<double, std::size_t>> ready;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (waits[k] == 0) ready.emplace(orders[k], k);
  }
  std::vector<Kernel> sorted;
  while (!ready.empty()) {
    const std::size_t k = ready.begin()->second;
    ready.erase(ready.begin());
    sorted.push_back(std::move(kernels[k]));
    for (const std::size_t next : after[k]) {
      if (--waits[next] == 0) ready.emplace(orders[next], next);
    }
  }
  if (sorted.size() != kernels.size()) throw GraphError("cpu: the kernels wait for each other");
  kernels = std::move(sorted);
}

}  // namespace systole::graph
