#include "hls/compiler/schedule/min_cut.h"

#include <algorithm>

namespace systole::compiler {
namespace {

/// The edges at each node, side by side in memory: a flow follows them millions of times.
class FlowNetwork {
 public:
  explicit FlowNetwork(int nodes) : first_(nodes + 1, 0) {}

  /// Both ends of every edge, before the first add().
  void expect(int from, int to) {
    ++first_[from + 1];
    ++first_[to + 1];
  }
  void reserve() {
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    arcs_.resize(first_.back());
    current_ = first_;
  }
  /// The position of the edge.
  int add(int from, int to, std::int64_t left, std::int64_t returned) {
    const int forth = current_[from]++, back = current_[to]++;
    arcs_[forth] = {to, back, left};
    arcs_[back] = {from, forth, returned};
    return forth;
  }
  std::int64_t left(int edge) const { return arcs_[edge].left; }
  std::int64_t returned(int edge) const { return arcs_[arcs_[edge].reverse].left; }

  void maximise(int source, int sink) {
    while (find_levels(source, sink)) {
      std::copy(first_.begin(), first_.end(), current_.begin());
      push(source, sink, std::int64_t{1} << 60);
    }
  }

  /// The nodes from which the sink can still be reached.
  std::vector<bool> reaching(int sink) const {
    std::vector<bool> found(first_.size() - 1, false);
    found[sink] = true;
    std::vector<int> queue = {sink};
    for (std::size_t at = 0; at < queue.size(); ++at) {
      for (int e = first_[queue[at]]; e < first_[queue[at] + 1]; ++e) {
        if (arcs_[arcs_[e].reverse].left <= 0 || found[arcs_[e].to]) continue;
        found[arcs_[e].to] = true;
        queue.push_back(arcs_[e].to);
      }
    }
    return found;
  }

 private:
  struct Arc {
    int to;
    int reverse;
    std::int64_t left;
  };

  bool find_levels(int source, int sink) {
    level_.assign(first_.size() - 1, -1);
    level_[source] = 0;
    queue_ = {source};
    for (std::size_t at = 0; at < queue_.size() && level_[sink] < 0; ++at) {
      const int from = queue_[at];
      for (int e = first_[from]; e < first_[from + 1]; ++e) {
        if (arcs_[e].left > 0 && level_[arcs_[e].to] < 0) {
          level_[arcs_[e].to] = level_[from] + 1;
          queue_.push_back(arcs_[e].to);
        }
      }
    }
    return level_[sink] >= 0;
  }

  std::int64_t push(int at, int sink, std::int64_t most) {
    if (at == sink) return most;
    std::int64_t pushed = 0;
    for (int& e = current_[at]; e < first_[at + 1]; ++e) {
      Arc& arc = arcs_[e];
      if (arc.left <= 0 || level_[arc.to] != level_[at] + 1) continue;
      const std::int64_t now = push(arc.to, sink, std::min(most - pushed, arc.left));
      arc.left -= now;
      arcs_[arc.reverse].left += now;
      pushed += now;
      if (pushed == most) return pushed;
    }
    return pushed;
  }

  std::vector<int> first_;  ///< by node: its first arc
  std::vector<Arc> arcs_;
  std::vector<int> level_;
  std::vector<int> current_;
  std::vector<int> queue_;
};

}  // namespace

void ClosureProblem::cost(int item, std::int64_t cost) {
  if (cost > 0) edge(item, sink(), cost);
  if (cost < 0) edge(source(), item, -cost);
}

/// What the start implies, or what implies it.
std::vector<bool> ClosureProblem::implied(int start, bool backwards) const {
  std::vector<int> first(items_ + 3, 0), others;
  for (const Edge& one : edges_) {
    if (one.is_implication()) ++first[(backwards ? one.to : one.from) + 1];
  }
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  others.resize(first.back());
  std::vector<int> next = first;
  for (const Edge& one : edges_) {
    if (!one.is_implication()) continue;
    others[next[backwards ? one.to : one.from]++] = backwards ? one.from : one.to;
  }
  std::vector<bool> found(items_ + 2, false);
  found[start] = true;
  std::vector<int> queue = {start};
  for (std::size_t at = 0; at < queue.size(); ++at) {
    for (int e = first[queue[at]]; e < first[queue[at] + 1]; ++e) {
      if (!found[others[e]]) queue.push_back(others[e]);
      found[others[e]] = true;
    }
  }
  return found;
}

std::vector<bool> ClosureProblem::solve() {
  const std::vector<bool> surely_in = implied(source(), false), surely_out = implied(sink(), true);
  // Items whose place is known are one node with the source or the sink: in a deep pipeline most
  // operations fit few stages, so most items are.
  constexpr int kSource = 0, kSink = 1;
  std::vector<int> node(items_ + 2);
  int nodes = 2;
  for (int item = 0; item < items_ + 2; ++item) {
    if (surely_in[item] && surely_out[item]) return {};
    node[item] = surely_in[item] ? kSource : surely_out[item] ? kSink : nodes++;
  }
  FlowNetwork network(nodes);
  for (const Edge& one : edges_) {
    if (node[one.from] != node[one.to]) network.expect(node[one.from], node[one.to]);
  }
  network.reserve();
  std::vector<int> position(edges_.size(), -1);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const Edge& one = edges_[i];
    const int from = node[one.from], to = node[one.to];
    if (from != to) position[i] = network.add(from, to, one.left, one.returned);
  }
  network.maximise(kSource, kSink);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    if (position[i] < 0) continue;
    edges_[i].left = network.left(position[i]);
    edges_[i].returned = network.returned(position[i]);
  }
  // Items that can no longer reach the sink are in.
  const std::vector<bool> out = network.reaching(kSink);
  std::vector<bool> in(items_);
  for (int item = 0; item < items_; ++item) in[item] = !out[node[item]];
  return in;
}

}  // namespace systole::compiler
