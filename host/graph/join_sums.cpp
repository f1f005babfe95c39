#include "host/graph/join_sums.h"

#include <algorithm>
#include <map>
#include <optional>

#include "host/graph/attribute.h"
#include "host/graph/ops.h"

namespace systole::graph {
namespace {

// A term of a sum; terms with equal keys can be joined.
struct Part {
  std::string key = {};
  std::size_t operands = 1;    // the leading operands, which are joined
  std::int64_t dimension = 0;  // along which they are concatenated
  std::int64_t first = 0;      // of a pad: its offset
};

class Joiner {
 public:
  Joiner(const Graph& from, Graph& to, SumsJoined which)
      : from_(from),
        to_(to),
        which_(which),
        uses_(from.value_count()),
        added_(from.value_count()),
        joined_(from.value_count()) {}

  void run() {
    for (const Operation& operation : from_.operations()) {
      for (const int operand : operation.operands) {
        ++uses_[operand];
        if (is(operation, "add")) added_[operand] = true;
      }
    }
    for (const Output& output : from_.outputs()) ++uses_[output.value];
    find_factors();
    for (const Operation& operation : from_.operations()) find_sum(operation);
    values_ = to_.inputs_as(from_);
    for (const Operation& operation : from_.operations()) copy(operation);
    to_.output_as(from_, values_);
  }

 private:
  using Sum = std::vector<int>;  // its terms, in the program's order
  struct Joined {
    Sum terms = {};
    std::map<int, Sum> group_of = {};  // of the terms that are joined
  };

  static bool is(const Operation& operation, std::string_view name) {
    return operation.kind->name == name && !operation.detached;
  }

  void find_factors() {
    is_factor_.resize(from_.value_count());
    for (const Operation& operation : from_.operations()) {
      if (operation.kind->name != "dot_general") continue;
      for (const int operand : operation.operands)
        is_factor_[from_.before_reshapes(operand)] = true;
    }
  }
  bool is_inside_a_sum(int value) const { return uses_[value] == 1 && added_[value]; }

  void find_terms(int value, Sum& terms) const {
    const Operation* operation = from_.maker(value);
    if (operation == nullptr || !is(*operation, "add") || !is_inside_a_sum(value)) {
      terms.push_back(value);
      return;
    }
    for (std::size_t i = 2; i-- > 0;) find_terms(operation->operands[i], terms);
  }

  void find_sum(const Operation& operation) {
    if (!is(operation, "add") || is_inside_a_sum(operation.results[0])) return;
    Sum terms;
    for (std::size_t i = 2; i-- > 0;) find_terms(operation.operands[i], terms);
    std::map<std::string, Sum> groups;
    for (const int term : terms) {
      if (const auto part = part_of(term)) groups[part->key].push_back(term);
    }
    std::vector<Sum> joined;
    for (auto& [key, group] : groups) {
      if (fits(group)) joined.push_back(std::move(group));
    }
    if (joined.empty()) return;
    Joined& sum = sums_[operation.results[0]];
    sum.terms = terms;
    skip_adds(operation);
    for (const Sum& group : joined) {
      for (const int term : group) {
        joined_[term] = uses_[term] == 1;
        sum.group_of[term] = group;
      }
    }
  }

  void skip_adds(const Operation& sum) {
    for (const int operand : sum.operands) {
      const Operation* operation = from_.maker(operand);
      if (operation == nullptr || !is(*operation, "add") || !is_inside_a_sum(operand)) continue;
      joined_[operand] = true;
      skip_adds(*operation);
    }
  }

  // Pads must fill the result without gaps or overlaps; sorts them by offset.
  bool fits(Sum& group) const {
    if (group.size() < 2) return false;
    if (!is(*from_.maker(group[0]), "pad")) return true;
    std::ranges::sort(group, {}, [&](int term) { return part_of(term)->first; });
    std::int64_t next = 0;
    for (const int term : group) {
      const auto part = part_of(term);
      if (part->first != next) return false;
      next += from_.type(from_.maker(term)->operands[0]).shape[part->dimension];
    }
    return next == from_.type(group[0]).shape[part_of(group[0])->dimension];
  }

  std::optional<Part> part_of(int term) const {
    const Operation* operation = from_.maker(term);
    if (operation == nullptr || operation->detached) return {};
    if (is(*operation, "pad")) return pad_of(*operation);  // which other sums may join, too
    if (!is_inside_a_sum(term)) return {};
    const auto key = [&](std::size_t operands) {
      std::string key(operation->kind->name);
      for (std::size_t i = 0; i < operands; ++i) {
        Shape rest = from_.type(operation->operands[i]).shape;
        rest[0] = 0;
        key += to_string(rest);
      }
      return key;
    };
    if (is(*operation, "dot_general")) {
      const auto& lists = attribute<Dimensions>(*operation, "dot_dimension_numbers");
      const Integers& depth = lists["lhs_contracting_dimensions"];
      if (!lists["lhs_batching_dimensions"].empty() || depth.empty() ||
          depth != counting(std::ssize(depth)) || lists["rhs_contracting_dimensions"] != depth) {
        return {};
      }
      return Part{.key = key(2) + to_string(depth), .operands = 2};
    }
    if (is(*operation, "reduce")) {
      const auto& summed = attribute<Integers>(*operation, "dimensions");
      if (attribute<std::string>(*operation, "body") != "add" || summed.empty() ||
          summed != counting(std::ssize(summed)) || from_.splat(operation->operands[1]) != 0) {
        return {};
      }
      const bool is_joined =
          which_ == SumsJoined::kAll || is_factor_[from_.before_reshapes(operation->operands[0])];
      if (!is_joined) return {};
      return Part{.key = key(1) + to_string(summed)};
    }
    return {};
  }

  std::optional<Part> pad_of(const Operation& pad) const {
    const auto& low = attribute<Integers>(pad, "edge_padding_low");
    const auto& high = attribute<Integers>(pad, "edge_padding_high");
    const auto& interior = attribute<Integers>(pad, "interior_padding");
    Part part{.dimension = -1};
    for (std::size_t d = 0; d < low.size(); ++d) {
      if (interior[d] != 0 || low[d] < 0 || high[d] < 0) return {};
      if (low[d] == 0 && high[d] == 0) continue;
      if (part.dimension >= 0) return {};
      part.dimension = static_cast<std::int64_t>(d);
      part.first = low[d];
    }
    if (part.dimension < 0 || from_.splat(pad.operands[1]) != 0) return {};
    part.key = fmt::format("pad {}", part.dimension);
    return part;
  }

  void copy(const Operation& operation) {
    if (joined_[operation.results[0]]) return;
    const auto sum = sums_.find(operation.results[0]);
    if (sum != sums_.end()) {
      values_[operation.results[0]] = add_up(sum->second, operation);
      return;
    }
    const Graph::Scope layer(to_, operation.scope);
    to_.add_as(operation, values_);
  }

  Value add_up(const Joined& joined, const Operation& sum) {
    Value total;
    for (const int term : joined.terms) {
      const auto group = joined.group_of.find(term);
      const bool is_joined = group != joined.group_of.end();
      if (is_joined && group->second[0] != term) continue;
      const Value value = is_joined ? join(group->second) : values_[term];
      const Graph::Scope layer(to_, sum.scope);
      total = total ? total + value : value;
    }
    return total;
  }

  Value join(const Sum& group) {
    const Operation& first = *from_.maker(group[0]);
    const Part part = *part_of(group[0]);
    std::vector<Value> operands;
    for (std::size_t i = 0; i < first.operands.size(); ++i) {
      operands.push_back(i < part.operands ? side_by_side(group, i, part.dimension)
                                           : values_[first.operands[i]]);
    }
    if (is(first, "pad")) return operands[0];
    const Graph::Scope layer(to_, first.scope);
    return to_.add(first, operands)[0];
  }

  // In the scope of its parts, so that gradients stay among gradients.
  Value side_by_side(const Sum& group, std::size_t operand, std::int64_t dimension) {
    std::vector<Value> parts;
    for (const int term : group) parts.push_back(values_[from_.maker(term)->operands[operand]]);
    const Operation* maker = from_.maker(from_.maker(group[0])->operands[operand]);
    const Graph::Scope layer(to_, maker == nullptr ? "" : maker->scope);
    return concatenate(parts, dimension);
  }

  const Graph& from_;
  Graph& to_;
  SumsJoined which_;
  std::vector<bool> is_factor_;  // by value, before reshapes: an operand of a product
  std::vector<Value> values_;    // of from_, in to_
  std::vector<int> uses_;
  std::vector<bool> added_;   // by value: an operand of an add
  std::vector<bool> joined_;  // by value: replaced by a joined operation
  std::map<int, Joined> sums_;
};

}  // namespace

std::unique_ptr<Graph> join_sums(const Graph& graph, SumsJoined which) {
  auto joined = std::make_unique<Graph>();
  Joiner(graph, *joined, which).run();
  return joined;
}

}  // namespace systole::graph
