#pragma once

#include <cstdint>
#include <vector>

namespace systole::compiler {

/// Finds a set of items of least total cost that is closed under implications: an item in the set
/// brings in all that it implies. Exact, by one minimum cut.
///
/// Source   Picard, "Maximal closure of a graph and applications to combinatorial problems" (1976);
///          the flow is Dinic's
class ClosureProblem {
 public:
  explicit ClosureProblem(int items) : first_(items + 2, -1) {}

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
    int to;
    int next;
    std::int64_t left;
  };

  int source() const { return static_cast<int>(first_.size()) - 2; }
  int sink() const { return static_cast<int>(first_.size()) - 1; }
  void edge(int from, int to, std::int64_t capacity);
  bool find_levels();
  std::int64_t push(int at, std::int64_t most);

  std::vector<int> first_;
  std::vector<Edge> edges_;
  std::vector<int> level_;
  std::vector<int> current_;
  std::int64_t flow_ = 0;
};

}  // namespace systole::compiler
