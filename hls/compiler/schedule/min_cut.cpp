#include "hls/compiler/schedule/min_cut.h"

#include <algorithm>

namespace systole::compiler {

void ClosureProblem::edge(int from, int to, std::int64_t capacity) {
  edges_.push_back({to, first_[from], capacity});
  first_[from] = static_cast<int>(edges_.size()) - 1;
  edges_.push_back({from, first_[to], 0});
  first_[to] = static_cast<int>(edges_.size()) - 1;
}

void ClosureProblem::cost(int item, std::int64_t cost) {
  if (cost > 0) edge(item, sink(), cost);
  if (cost < 0) edge(source(), item, -cost);
}

bool ClosureProblem::find_levels() {
  level_.assign(first_.size(), -1);
  level_[source()] = 0;
  std::vector<int> queue = {source()};
  for (std::size_t at = 0; at < queue.size() && level_[sink()] < 0; ++at) {
    for (int e = first_[queue[at]]; e >= 0; e = edges_[e].next) {
      if (edges_[e].left > 0 && level_[edges_[e].to] < 0) {
        level_[edges_[e].to] = level_[queue[at]] + 1;
        queue.push_back(edges_[e].to);
      }
    }
  }
  return level_[sink()] >= 0;
}

std::int64_t ClosureProblem::push(int at, std::int64_t most) {
  if (at == sink()) return most;
  std::int64_t pushed = 0;
  for (int& e = current_[at]; e >= 0; e = edges_[e].next) {
    const int to = edges_[e].to;
    if (edges_[e].left <= 0 || level_[to] != level_[at] + 1) continue;
    const std::int64_t now = push(to, std::min(most - pushed, edges_[e].left));
    edges_[e].left -= now;
    edges_[e ^ 1].left += now;
    pushed += now;
    if (pushed == most) return pushed;
  }
  return pushed;
}

std::vector<bool> ClosureProblem::solve() {
  while (flow_ < kForever && find_levels()) {
    current_ = first_;
    flow_ += push(source(), kForever);
  }
  if (flow_ >= kForever) return {};
  // Items that can no longer reach the sink are in.
  std::vector<bool> out(first_.size(), false);
  out[sink()] = true;
  std::vector<int> queue = {sink()};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (int e = first_[queue[at]]; e >= 0; e = edges_[e].next) {
      if (edges_[e ^ 1].left > 0 && !out[edges_[e].to]) {
        out[edges_[e].to] = true;
        queue.push_back(edges_[e].to);
      }
    }
  }
  std::vector<bool> in(first_.size() - 2);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = !out[i];
  return in;
}

}  // namespace systole::compiler
