#include "host/cpu/memory_plan.h"

#include <algorithm>
#include <map>

#include "systole/support/ceil_div.h"

namespace systole::graph {
namespace {

using std::int64_t;

constexpr int64_t kAlignment = 16;  // elements in a cache line

class Block {
 public:
  // The smallest gap that is large enough, or the end.
  int64_t take(int64_t size) {
    auto best = gaps_.end();
    for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
      if (gap->second >= size && (best == gaps_.end() || gap->second < best->second)) best = gap;
    }
    if (best == gaps_.end()) {
      const int64_t offset = end_;
      end_ += size;
      return offset;
    }
    const auto [offset, room] = *best;
    gaps_.erase(best);
    if (room > size) gaps_.emplace(offset + size, room - size);
    return offset;
  }

  void give_back(int64_t offset, int64_t size) {
    const auto next = gaps_.lower_bound(offset);
    if (next != gaps_.end() && next->first == offset + size) {
      size += next->second;
      gaps_.erase(next);
    }
    auto before = gaps_.lower_bound(offset);
    if (before != gaps_.begin() && (--before)->first + before->second == offset) {
      before->second += size;
    } else {
      gaps_.emplace(offset, size);
    }
  }

  int64_t end() const { return end_; }

 private:
  std::map<int64_t, int64_t> gaps_;  // offset, size
  int64_t end_ = 0;
};

}  // namespace

MemoryPlan plan_memory(const Graph& graph, const Kernels& kernels,
                       const std::vector<bool>& elsewhere) {
  const auto size = [&](int value) {
    const int64_t count = element_count(graph.type(value).shape);
    return std::max<int64_t>(1, ceil_div(count, kAlignment)) * kAlignment;
  };
  const auto is_planned = [&](int value) {
    return kernels.storage.places[value].kind == Storage::Kind::kMemory && !elsewhere[value];
  };
  const auto never = static_cast<int>(kernels.kernels.size());
  std::vector<int> last_use(graph.value_count(), -1);
  for (int k = 0; k < never; ++k) {
    const Kernel& kernel = kernels.kernels[k];
    for (const int value : kernel.writes) last_use[value] = k;
    for (const int value : kernel.reads) last_use[kernels.storage.base(value)] = k;
  }
  for (const Output& output : graph.outputs()) last_use[kernels.storage.base(output.value)] = never;

  MemoryPlan plan{.offsets = std::vector<int64_t>(graph.value_count(), -1)};
  Block block;
  for (int k = 0; k < never; ++k) {
    const Kernel& kernel = kernels.kernels[k];
    std::vector<bool> handed_on(graph.value_count());
    for (const int value : kernel.writes) {
      if (!is_planned(value)) continue;
      for (const auto& [written, read] : kernel.in_place) {
        const int base = kernels.storage.base(read);
        if (written != value || !is_planned(base) || last_use[base] != k || handed_on[base] ||
            size(base) != size(value)) {
          continue;
        }
        plan.offsets[value] = plan.offsets[base];
        handed_on[base] = true;
        break;
      }
      if (plan.offsets[value] < 0) plan.offsets[value] = block.take(size(value));
    }
    for (int value = 0; value < static_cast<int>(graph.value_count()); ++value) {
      if (last_use[value] == k && is_planned(value) && plan.offsets[value] >= 0 &&
          !handed_on[value]) {
        block.give_back(plan.offsets[value], size(value));
      }
    }
  }
  plan.elements = block.end();
  return plan;
}

}  // namespace systole::graph
