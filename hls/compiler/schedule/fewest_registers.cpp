#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/schedule/min_cut.h"
#include "hls/compiler/schedule/problem.h"

namespace systole::compiler {
namespace {

constexpr double kSlack = 1e-9;
constexpr int kMostRounds = 200;
/// Of operations to logic behind one of them, half a minute's work: a function for which it takes
/// more stays cut as soon as possible.
constexpr std::int64_t kMostAdditions = 2'000'000;
constexpr std::int64_t kMostBits = 4096;  // in one value, with room to spare

/// `later` is at least one stage after `earlier`: both are too slow for one stage.
using Distance = std::pair<int, int>;

/// Integer stages as a closure problem: item (operation, s) is in when the operation is in stage s
/// or later, and item (value, s) when the value is still needed there. A value is registered after
/// stage s - 1 when it is needed in s or later but not computed there or later.
class Solver {
 public:
  Solver(const Problem& problem, int stages, double period_ns)
      : problem_(problem),
        period_ns_(period_ns),
        stages_(stages),
        closure_(2 * static_cast<int>(problem.operations().size()) * (stages - 1)) {
    for (const llvm::Instruction* operation : problem.operations()) {
      const int index = static_cast<int>(index_.size());
      index_[operation] = index;
    }
    sources_.resize(index_.size());
    users_.resize(index_.size());
    for (int at = 0; at < size(); ++at) {
      for_each_source(operation(at), [&](int source) {
        sources_[at].push_back(source);
        users_[source].push_back(at);
      });
    }
    find_distances();
    if (additions_ <= kMostAdditions) describe();
  }

  StageOf solve(const StageOf& start) {
    if (additions_ > kMostAdditions) return start;
    const int fewest = register_bits(problem_, start);
    for (int round = 0; round < kMostRounds; ++round) {
      const StageOf stage_of = cheapest();
      if (stage_of.empty() || register_bits(problem_, stage_of) > fewest) break;
      if (is_fast_enough(stage_of, start)) return stage_of;
    }
    return start;
  }

 private:
  int size() const { return static_cast<int>(index_.size()); }
  const llvm::Instruction& operation(int index) const { return *problem_.operations()[index]; }

  template <typename Visit>
  void for_each_source(const llvm::Instruction& operation, Visit visit) const {
    for (const llvm::Value* operand : operation.operands()) {
      const auto found = index_.find(llvm::dyn_cast<llvm::Instruction>(operand));
      if (found != index_.end()) visit(found->second);
    }
  }

  /// For each operation, the first later ones that do not fit the same stage.
  void find_distances() {
    StageOf one_stage;
    for (const auto& [operation, index] : index_) one_stage[operation] = 0;
    const StageLogic whole = problem_.logic(one_stage);
    for (int index = 0; index < size(); ++index) {
      distinct_bits_.push_back(whole.distinct_bits(operation(index)));
    }
    for (int from = 0; from < size() && additions_ <= kMostAdditions; ++from) {
      find_distances(from, whole);
    }
  }

  void find_distances(int from, const StageLogic& whole) {
    StageLogic logic(problem_.model());
    enum State : char { kElsewhere, kBehind, kTooLate };
    std::vector<State> state(size(), kElsewhere);
    std::vector<bool> present(size(), false);
    const auto registered = [&](int index) {
      if (!present[index]) logic.add_register(operation(index), whole, 0);
      present[index] = true;
    };
    for (const int source : sources_[from]) registered(source);
    state[from] = kBehind;
    logic.add(operation(from), 1);
    // In the order of the operations, so that operands come before their users.
    std::set<int> next(users_[from].begin(), users_[from].end());
    for (; !next.empty(); next.erase(next.begin())) {
      const int at = *next.begin();
      next.insert(users_[at].begin(), users_[at].end());
      const bool late =
          std::ranges::any_of(sources_[at], [&](int source) { return state[source] == kTooLate; });
      if (late) state[at] = kTooLate;
      if (late) continue;
      for (const int source : sources_[at]) {
        if (state[source] == kElsewhere) registered(source);
      }
      state[at] = kBehind;
      ++additions_;
      if (logic.add(operation(at), 1) > period_ns_ + kSlack) {
        state[at] = kTooLate;
        distances_.insert({from, at});
      }
    }
  }

  int is_late(int index, int s) const { return (2 * index) * (stages_ - 1) + s - 1; }
  int is_needed(int index, int s) const { return (2 * index + 1) * (stages_ - 1) + s - 1; }

  void describe() {
    const int boundaries = stages_ - 1;
    for (int index = 0; index < size(); ++index) {
      const llvm::Instruction& one = operation(index);
      const std::int64_t width = width_of(one);
      // Among equals, the value with fewer distinct bits.
      const std::int64_t cost = width * kMostBits + (width > 0 ? distinct_bits_[index] : 0);
      for (int s = 1; s <= boundaries; ++s) {
        if (Problem::is_argument(one)) closure_.is_out(is_late(index, s));
        if (Problem::is_result(one)) closure_.is_in(is_late(index, s));
        if (s > 1) closure_.implies(is_late(index, s), is_late(index, s - 1));
        closure_.implies(is_late(index, s), is_needed(index, s));
        closure_.cost(is_needed(index, s), cost);
        closure_.cost(is_late(index, s), -cost);
        for_each_source(one, [&](int source) {
          closure_.implies(is_late(source, s), is_late(index, s));
          closure_.implies(is_late(index, s), is_needed(source, s));
        });
      }
    }
    for (const Distance& distance : distances_) describe(distance);
  }

  void describe(const Distance& distance) {
    const auto& [earlier, later] = distance;
    closure_.is_in(is_late(later, 1));
    closure_.is_out(is_late(earlier, stages_ - 1));
    for (int s = 1; s < stages_ - 1; ++s) {
      closure_.implies(is_late(earlier, s), is_late(later, s + 1));
    }
  }

  StageOf cheapest() {
    const std::vector<bool> in = closure_.solve();
    StageOf stage_of;
    for (int index = 0; index < size() && !in.empty(); ++index) {
      int stage = 0;
      for (int s = 1; s < stages_; ++s) stage += in[is_late(index, s)];
      stage_of[&operation(index)] = stage;
    }
    return stage_of;
  }

  /// If a stage is too slow though no single path in it is, separates two of its operations that
  /// `start` also separates: `start` stays a solution, so one always exists.
  bool is_fast_enough(const StageOf& stage_of, const StageOf& start) {
    const StageLogic logic = problem_.logic(stage_of);
    bool fast = true;
    for (int index = 0; index < size(); ++index) {
      const llvm::Instruction& one = operation(index);
      if (logic.arrival(one) <= period_ns_ + kSlack) continue;
      fast = false;
      bool first = true;
      for_each_source(one, [&](int source) {
        first = first && (stage_of.at(&operation(source)) != stage_of.at(&one) ||
                          logic.arrival(operation(source)) <= period_ns_ + kSlack);
      });
      if (first) keep_apart(index, logic, stage_of, start);
    }
    return fast;
  }

  void keep_apart(int index, const StageLogic& logic, const StageOf& stage_of,
                  const StageOf& start) {
    const auto separated = [&](int other) {
      return start.at(&operation(other)) < start.at(&operation(index));
    };
    for (const llvm::Instruction* on_path : logic.path(operation(index)).operations) {
      const int other = index_.at(on_path);
      if (stage_of.at(on_path) == stage_of.at(&operation(index)) && separated(other)) {
        keep_apart({other, index});
        return;
      }
    }
    std::set<int> cone = {index};
    for (int at = index; at >= 0; --at) {
      if (cone.count(at) == 0) continue;
      if (separated(at)) keep_apart({at, index});
      for_each_source(operation(at), [&](int source) {
        if (stage_of.at(&operation(source)) == stage_of.at(&operation(index))) cone.insert(source);
      });
    }
  }

  /// From the next solution on.
  void keep_apart(const Distance& distance) {
    if (distances_.insert(distance).second) describe(distance);
  }

  const Problem& problem_;
  double period_ns_;
  int stages_;
  ClosureProblem closure_;  ///< grows each round, so a solution starts from the last one
  std::map<const llvm::Instruction*, int> index_;
  std::vector<std::vector<int>> sources_;  ///< by operation
  std::vector<std::vector<int>> users_;
  std::set<Distance> distances_;
  std::vector<int> distinct_bits_;
  std::int64_t additions_ = 0;
};

}  // namespace

StageOf fewest_register_bits(const Problem& problem, int stages, double period_ns,
                             const StageOf& start) {
  if (stages < 2) return start;
  return Solver(problem, stages, period_ns).solve(start);
}

}  // namespace systole::compiler
