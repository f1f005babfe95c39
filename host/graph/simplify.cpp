#include "host/graph/simplify.h"

#include <algorithm>
#include <bit>
#include <map>

#include "host/graph/attribute.h"
#include "host/graph/cores.h"
#include "host/graph/ops.h"
#include "host/graph/reference.h"

namespace systole::graph {
namespace {

constexpr std::int64_t kMostFolded = 4096;

// An attribute's value as text.
std::string key(const Attribute& attribute) {
  return std::visit(
      []<typename T>(const T& value) -> std::string {
        if constexpr (std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::string>) {
          return fmt::format("{}", value);
        } else if constexpr (std::is_same_v<T, Integers> || std::is_same_v<T, Type>) {
          return to_string(value);
        } else if constexpr (std::is_same_v<T, Dimensions>) {
          std::string text;
          for (const auto& [name, numbers] : value.lists) text += name + to_string(numbers);
          return text;
        } else {
          std::string text = to_string(value.type);
          for (const double number : value.values) {
            text += fmt::format(" {:x}", std::bit_cast<std::uint64_t>(number));
          }
          return text;
        }
      },
      attribute);
}

std::vector<bool> needed(const Graph& graph) {
  std::vector<bool> needed(graph.value_count());
  for (const Output& output : graph.outputs()) needed[output.value] = true;
  for (std::size_t i = graph.operations().size(); i-- > 0;) {
    const Operation& operation = graph.operations()[i];
    if (std::ranges::none_of(operation.results, [&](int r) { return needed[r]; })) continue;
    for (const int operand : operation.operands) needed[operand] = true;
  }
  return needed;
}

class Simplifier {
 public:
  Simplifier(const Graph& from, Graph& to, bool rewrites)
      : from_(from), to_(to), rewrites_(rewrites), uses_(from.value_count()) {
    for (const Operation& operation : from.operations()) {
      for (const int operand : operation.operands) ++uses_[operand];
    }
    for (const Output& output : from.outputs()) ++uses_[output.value];
  }

  void run() {
    const std::vector<bool> needed = graph::needed(from_);
    values_ = to_.inputs_as(from_);
    for (const Operation& operation : from_.operations()) {
      if (std::ranges::none_of(operation.results, [&](int r) { return needed[r]; })) continue;
      const Graph::Scope layer(to_, operation.scope);
      const std::vector<Value> results = rewrite(operation);
      for (std::size_t i = 0; i < results.size(); ++i) {
        values_[operation.results[i]] = results[i];
      }
    }
    to_.output_as(from_, values_);
  }

 private:
  std::vector<Value> rewrite(const Operation& operation) {
    std::vector<Value> operands;
    for (const int operand : operation.operands) operands.push_back(values_[operand]);
    if (cores_of(operation) > 1) return to_.add(operation, operands);
    if (rewrites_ && !operation.detached) {
      if (const Value folded = fold(operation, operands)) return {folded};
      if (const Value same = unchanged(operation, operands)) return {same};
      if (const Value moved = placed(operation, operands)) return {moved};
    }
    std::string name = fmt::format("{} {}", operation.kind->name, operation.detached);
    for (const Value operand : operands) name += fmt::format(" %{}", operand.id());
    for (const Attribute& attribute : operation.attributes) name += " " + key(attribute);
    const auto known = done_.find(name);
    if (known != done_.end()) return known->second;
    std::vector<Value> results = to_.add(operation, operands);
    done_.emplace(std::move(name), results);
    return results;
  }

  Value fold(const Operation& operation, const std::vector<Value>& operands) {
    if (operands.empty() || operation.results.size() != 1) return {};
    const Type& type = from_.type(operation.results[0]);
    bool splats = true;
    std::vector<Literal> literals;
    for (const Value operand : operands) {
      const Literal* found = to_.literal(operand.id());
      if (found == nullptr) return {};
      splats = splats && found->is_splat();
      literals.push_back(*found);
    }
    const std::string_view name = operation.kind->name;
    constexpr std::string_view kMoves[] = {"broadcast_in_dim", "reshape", "transpose", "reverse",
                                           "slice"};
    if (splats && std::ranges::find(kMoves, name) != std::end(kMoves)) {
      return known_constant({type, literals[0].values});
    }
    if (splats && operation.kind->loop != nullptr)
      return known_constant(fold_splats(operation, type, literals));
    const auto fits = [](const Literal& l) { return element_count(l.type.shape) <= kMostFolded; };
    if (element_count(type.shape) > kMostFolded || !std::ranges::all_of(literals, fits)) return {};
    return known_constant(evaluate(from_.call(operation), literals)[0]);
  }

  // Evaluates one element for all.
  Literal fold_splats(const Operation& operation, const Type& type, std::vector<Literal> literals) {
    Call call = from_.call(operation);
    std::vector<Attribute> attributes = operation.attributes;
    for (Attribute& attribute : attributes) {
      if (auto* result = std::get_if<Type>(&attribute)) result->shape.clear();
    }
    call.attributes = attributes;
    for (Type& operand : call.operands) operand.shape.clear();
    for (Literal& literal : literals) literal.type.shape.clear();
    return {type, evaluate(call, literals)[0].values};
  }

  Value known_constant(Literal literal) {
    if (element_count(literal.type.shape) > 1 && literal.values.size() > 1) {
      const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
      const auto equal = [&](double x) { return bits(x) == bits(literal.values[0]); };
      if (std::ranges::all_of(literal.values, equal)) literal.values.resize(1);
    }
    const std::string name = "constant false " + key(Attribute(literal));
    const auto known = done_.find(name);
    if (known != done_.end()) return known->second[0];
    const Value value = constant(to_, std::move(literal));
    done_.emplace(name, std::vector{value});
    return value;
  }

  bool is_all(Value value, double number) const {
    const auto found = to_.splat(value.id());
    return found && std::bit_cast<std::uint64_t>(*found) == std::bit_cast<std::uint64_t>(number);
  }

  const Operation* producer(Value value, std::string_view name) const {
    const Operation* made = to_.maker(value.id());
    return made != nullptr && made->kind->name == name && !made->detached ? made : nullptr;
  }

  // The value that the operation merely passes on, if it does.
  Value unchanged(const Operation& operation, const std::vector<Value>& x) {
    const std::string_view name = operation.kind->name;
    const Type& type = from_.type(operation.results[0]);
    if (name == "multiply" && is_all(x[1], 1)) return x[0];
    if (name == "multiply" && is_all(x[0], 1)) return x[1];
    if (name == "divide" && is_all(x[1], 1)) return x[0];
    if (name == "subtract" && is_all(x[1], 0)) return x[0];
    if (name == "add" && is_all(x[1], is_float(type.element) ? -0.0 : 0.0)) return x[0];
    if (name == "convert" && x[0].type() == type) return x[0];
    if (name == "concatenate" && x.size() == 1) return x[0];
    if (name == "all_reduce") return x[0];
    if (name == "select") {
      if (x[1].id() == x[2].id() || is_all(x[0], 1)) return x[1];
      if (is_all(x[0], 0)) return x[2];
    }
    if (name == "negate") {
      if (const Operation* inner = producer(x[0], "negate")) return to_.value(inner->operands[0]);
    }
    if (name == "broadcast_in_dim") return unchanged_broadcast(operation, x[0]);
    if (name == "reshape") {
      if (x[0].type() == type) return x[0];
      if (const Operation* inner = producer(x[0], "reshape")) {
        return reshape(to_.value(inner->operands[0]), type.shape);
      }
    }
    if (name == "transpose") return unchanged_transpose(operation, x[0]);
    if (name == "compare") return compare_rectified(operation, x);
    if (name == "reduce") return reduce_again(operation, x);
    if (name == "slice" && x[0].type() == type) return x[0];
    if (name == "reverse" && element_count(type.shape) == 1) return x[0];
    if (name == "reverse") {
      const auto& dimensions = attribute<Integers>(operation, "dimensions");
      if (std::ranges::all_of(dimensions, [&](std::int64_t d) { return x[0].dimension(d) == 1; })) {
        return x[0];
      }
    }
    if (name == "pad" && x[0].type() == type) {
      const auto is_none = [](const Attribute& attribute) {
        const auto& numbers = std::get<Integers>(attribute);
        return std::ranges::count(numbers, 0) == std::ssize(numbers);
      };
      if (std::ranges::all_of(operation.attributes, is_none)) return x[0];
    }
    return {};
  }

  Value unchanged_broadcast(const Operation& operation, Value x) {
    const Type& type = from_.type(operation.results[0]);
    const auto& outer = attribute<Integers>(operation, "broadcast_dimensions");
    if (x.type() == type && std::ranges::is_sorted(outer)) return x;
    const Operation* inner = producer(x, "broadcast_in_dim");
    if (inner == nullptr) return {};
    Integers both;
    for (const std::int64_t d : attribute<Integers>(*inner, "broadcast_dimensions")) {
      both.push_back(outer[static_cast<std::size_t>(d)]);
    }
    return broadcast_in_dim(to_.value(inner->operands[0]), type.shape, both);
  }

  // x > 0 where max(x, 0) is known asks that instead: a device then has no need to keep x.
  Value compare_rectified(const Operation& operation, const std::vector<Value>& x) {
    if (attribute<std::string>(operation, "comparison_direction") != "GT" || !is_all(x[1], 0))
      return {};
    const auto known = done_.find(fmt::format("maximum false %{} %{}", x[0].id(), x[1].id()));
    if (known == done_.end()) return {};
    return compare(known->second[0], "GT", x[1]);
  }

  // A sum over dimensions of one element, of what is a sum from 0 already and so no -0.
  Value reduce_again(const Operation& operation, const std::vector<Value>& x) {
    const auto is_sum = [&](const Operation& sum, Value start) {
      return attribute<std::string>(sum, "body") == "add" && is_all(start, 0);
    };
    const auto& dimensions = attribute<Integers>(operation, "dimensions");
    const auto is_one = [&](std::int64_t d) { return x[0].dimension(d) == 1; };
    if (!is_sum(operation, x[1]) || !std::ranges::all_of(dimensions, is_one)) return {};
    const Operation* moved = producer(x[0], "reshape");
    const Operation* sum =
        producer(moved != nullptr ? to_.value(moved->operands[0]) : x[0], "reduce");
    if (sum == nullptr || !is_sum(*sum, to_.value(sum->operands[1]))) return {};
    return reshape(to_.value(sum->results[0]), from_.type(operation.results[0]).shape);
  }

  // The transpose of a product is the product of the operands in the other order.
  Value swap_product(const Operation& dot, const Integers& permutation) {
    const auto& numbers = attribute<Dimensions>(dot, "dot_dimension_numbers");
    const Integers &left = numbers["lhs_contracting_dimensions"],
                   &right = numbers["rhs_contracting_dimensions"];
    const Value a = to_.value(dot.operands[0]), b = to_.value(dot.operands[1]);
    const auto rows = a.type().rank() - std::ssize(left),
               cols = b.type().rank() - std::ssize(right);
    Integers swapped = counting(rows + cols);
    std::ranges::rotate(swapped, swapped.begin() + rows);
    if (!numbers["lhs_batching_dimensions"].empty() || permutation != swapped) return {};
    return dot_general(b, a, {.lhs_contracting = right, .rhs_contracting = left});
  }

  Value unchanged_transpose(const Operation& operation, Value x) {
    const auto& outer = attribute<Integers>(operation, "permutation");
    if (std::ranges::is_sorted(outer)) return x;
    if (const Operation* dot = producer(x, "dot_general");
        dot != nullptr && uses_[operation.operands[0]] == 1) {
      return swap_product(*dot, outer);
    }
    const Operation* inner = producer(x, "transpose");
    if (inner == nullptr) return {};
    Integers both;
    for (const std::int64_t d : outer) {
      both.push_back(attribute<Integers>(*inner, "permutation")[d]);
    }
    const Value source = to_.value(inner->operands[0]);
    return std::ranges::is_sorted(both) ? source : transpose(source, both);
  }

  // ---- Slices whose places are known, as those of an unrolled loop ----

  // The starts among an operation's operands, moved until the slice fits; none if one is unknown.
  std::optional<Integers> known_starts(const std::vector<Value>& x, std::size_t first,
                                       const Shape& sizes) const {
    Integers starts;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      const auto start = to_.splat(x[first + d].id());
      if (!start) return {};
      const std::int64_t last = x[0].dimension(static_cast<std::int64_t>(d)) - sizes[d];
      starts.push_back(std::clamp<std::int64_t>(static_cast<std::int64_t>(*start), 0, last));
    }
    return starts;
  }

  // The one dimension in which a part is shorter than the whole; -1 if it is in several.
  static std::int64_t cut_dimension(const Shape& whole, const Shape& part) {
    std::int64_t dimension = -1;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      if (whole[d] == part[d]) continue;
      if (dimension >= 0) return -1;
      dimension = static_cast<std::int64_t>(d);
    }
    return dimension;
  }

  struct Parts {
    std::int64_t dimension = -1;
    std::vector<Value> values;  // which lie one after the other
  };

  Value sliced(Value x, const Integers& from, const Shape& sizes) {
    if (sizes == x.shape()) return x;
    if (const auto number = to_.splat(x.id())) {
      return known_constant({{x.type().element, sizes}, {*number}});
    }
    Integers to = from;
    for (std::size_t d = 0; d < to.size(); ++d) to[d] += sizes[d];
    return slice(x, from, to);
  }

  // What lies in [from, to) of the parts.
  std::vector<Value> cut(const Parts& parts, std::int64_t from, std::int64_t to) {
    std::vector<Value> found;
    std::int64_t at = 0;
    for (const Value part : parts.values) {
      const std::int64_t begin = std::max(from - at, std::int64_t{0}),
                         end = std::min(to - at, part.dimension(parts.dimension));
      at += part.dimension(parts.dimension);
      if (begin >= end) continue;
      Shape sizes = part.shape();
      Integers starts(sizes.size());
      starts[static_cast<std::size_t>(parts.dimension)] = begin;
      sizes[static_cast<std::size_t>(parts.dimension)] = end - begin;
      found.push_back(sliced(part, starts, sizes));
    }
    return found;
  }

  Parts parts_of(Value x, std::int64_t dimension) const {
    const auto known = parts_.find(x.id());
    if (known != parts_.end() && known->second.dimension == dimension) return known->second;
    return {dimension, {x}};
  }

  Value placed(const Operation& operation, const std::vector<Value>& x) {
    const std::string_view name = operation.kind->name;
    const bool updates = name == "dynamic_update_slice";
    if (!updates && name != "dynamic_slice") return {};
    const Shape& sizes = updates ? x[1].shape() : from_.type(operation.results[0]).shape;
    const auto starts = known_starts(x, updates ? 2 : 1, sizes);
    const std::int64_t dimension = cut_dimension(x[0].shape(), sizes);
    if (!starts || element_count(sizes) == 0) return {};
    if (sizes == x[0].shape()) return x[updates ? 1 : 0];
    if (dimension < 0) return updates ? Value() : sliced(x[0], *starts, sizes);
    const Parts parts = parts_of(x[0], dimension);
    const std::int64_t from = (*starts)[static_cast<std::size_t>(dimension)],
                       to = from + sizes[static_cast<std::size_t>(dimension)];
    if (!updates) {
      const std::vector<Value> inside = cut(parts, from, to);
      return inside.size() == 1 ? inside[0] : concatenate(inside, dimension);
    }
    Parts updated{dimension, cut(parts, 0, from)};
    updated.values.push_back(x[1]);
    const std::vector<Value> after = cut(parts, to, x[0].dimension(dimension));
    updated.values.insert(updated.values.end(), after.begin(), after.end());
    const Value whole = concatenate(updated.values, dimension);
    parts_.emplace(whole.id(), std::move(updated));
    return whole;
  }

  const Graph& from_;
  Graph& to_;
  bool rewrites_;
  std::vector<Value> values_;                       // of from_, in to_
  std::vector<int> uses_;                           // of from_'s values
  std::map<std::string, std::vector<Value>> done_;  // results by operation, operands and attributes
  std::map<int, Parts> parts_;                      // of what was updated at known places
};

}  // namespace

std::unique_ptr<Graph> simplify(const Graph& graph) {
  auto rewritten = std::make_unique<Graph>();
  Simplifier(graph, *rewritten, true).run();
  auto result = std::make_unique<Graph>();
  Simplifier(*rewritten, *result, false).run();  // removes what rewriting left unused
  return result;
}

}  // namespace systole::graph
