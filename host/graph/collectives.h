#pragma once

#include <utility>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// A core among those that run a program together.
struct CorePlace {
  std::int64_t core = 0, cores = 1;
};

/// Cores that exchange values, written as sums over all cores (cores.h) and moves within a core, as
/// sums are what links do. Each value is that of a core's own graph, which knows its core.
///
///     gather    core c has -0 but for its part, at its place; the sum has all parts
///
/// Limits   groups of one size, which have each core once
/// Timing   a gather sends what it gathers over the links, a sum of one of G groups G values
/// Numbers  f32: ((x0 + x1) + x2) + ... in the order of the cores. bf16: likewise, and rounded
///          once. Integers and predicates: exact; integers wrap, the sum of predicates is `or`. All
///          else moves values as they are
/// Errors   GraphError for other groups
class CoreGroup {
 public:
  CoreGroup(CorePlace place, std::vector<Integers> groups);
  /// All cores in their order.
  explicit CoreGroup(CorePlace place);

  std::int64_t size() const { return static_cast<std::int64_t>(members_.size()); }

  Value sum(Value x) const;
  /// Each member's x side by side along a dimension, in the group's order.
  Value gather(Value x, std::int64_t dimension) const;
  /// Each member's x by itself.
  std::vector<Value> all(Value x) const;
  /// This core's part of a value that all have, along a dimension.
  Value part(Value x, std::int64_t dimension) const;
  /// Of each member's x the part for this core along `split`, side by side along `joined`.
  Value exchange(Value x, std::int64_t split, std::int64_t joined) const;
  /// The first member's x.
  Value broadcast(Value x) const;

 private:
  Value sum_words(Value x) const;

  CorePlace place_;
  Integers members_;
  std::int64_t groups_ = 1, own_ = 0;  ///< groups, and the number of this core's
  std::int64_t index_ = 0;             ///< of this core in its group
};

/// x of the core that sends to this one, by pairs (from, to); 0 where none does.
///
/// Errors   GraphError for cores that do not exist, or that send or receive twice
Value permute(CorePlace place, const std::vector<std::pair<std::int64_t, std::int64_t>>& pairs,
              Value x);

}  // namespace systole::graph
