#pragma once

#include <cstdint>
#include <vector>

namespace systole::compiler {

/// Finds a set of items of least total cost that is closed under implications: an item in the set
/// brings in all that it implies. Exact, by one minimum cut over the items that is_in and is_out
/// leave open.
///
/// Source   Picard, "Maximal closure of a graph and applications to combinatorial problems" (1976);
///          the flow is Dinic's
class ClosureProblem {
 public:
  explicit ClosureProblem(int items) : items_(items) {}

  /// The cost of including the item; negative for a gain.
  void cost(int item, std::int64_t cost);
  void implies(int item, int other) { edge(item, other, kForever); }
  void is_in(int item) { edge(source(), item, kForever); }
  void is_out(int item) { edge(item, sink(), kForever); }

  /// The largest of the cheapest sets, which is unique and so the same in every run. Empty if is_in
  /// and is_out contradict each other. After more implications, another call continues from the
  /// flow found here.
  std::vector<bool> solve();

 private:
  static constexpr std::int64_t kForever = std::int64_t{1} << 50;
  struct Edge {
    int from;
    int to;
    std::int64_t left;      ///< capacity that the flow leaves
    std::int64_t returned;  ///< the flow, which may be undone

    bool is_implication() const { return left + returned >= kForever; }
  };

  int source() const { return items_; }
  int sink() const { return items_ + 1; }
  void edge(int from, int to, std::int64_t capacity) { edges_.push_back({from, to, capacity, 0}); }
  std::vector<bool> implied(int start, bool backwards) const;

  int items_;
  std::vector<Edge> edges_;
};

}  // namespace systole::compiler
