#include "host/graph/artifact/read_artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "host/graph/artifact/bytecode.h"
#include "host/graph/artifact/collectives.h"
#include "host/graph/artifact/counters.h"
#include "host/graph/artifact/cursor.h"
#include "host/graph/artifact/statements.h"
#include "host/graph/known_values.h"
#include "host/graph/operations/operations.h"
#include "host/graph/ops.h"
#include "host/graph/read_argmax.h"
#include "host/graph/reduce_by.h"
#include "host/graph/sort.h"
#include "host/graph/while_loop.h"

namespace systole::graph {
namespace artifact {
namespace {

constexpr int kMostCalls = 64;  // of calls within calls

// Says where the user's program has what is wrong.
class PlacedError : public GraphError {
  using GraphError::GraphError;
};

class ArtifactReader {
 public:
  ArtifactReader(std::string_view bytes, Products products, CorePlace place)
      : module_(bytes),
        graph_(std::make_unique<Graph>()),
        products_(products),
        place_(place),
        values_(static_cast<std::size_t>(module_.value_count())),
        bounds_(values_.size()) {}

  std::unique_ptr<Graph> read() {
    for (const StatedOperation& operation : module_.top().operations) {
      if (operation.dialect != "builtin" || operation.name != "module") continue;
      if (operation.regions.size() != 1 || operation.regions[0].size() != 1)
        fail("an empty module");
      find_functions(operation.regions[0][0]);
    }
    const auto main = functions_.find("main");
    if (main == functions_.end()) fail("there is no function main");
    read_main(*main->second);
    return std::move(graph_);
  }

 private:
  using Values = std::vector<Value>;

  // ---- Functions ----

  void find_functions(const Block& block) {
    for (const StatedOperation& operation : block.operations) {
      if (operation.dialect != "vhlo" || plain_name(operation) != "func") continue;
      const Properties properties(operation);
      functions_.emplace(properties.text("sym_name"), &operation);
    }
  }

  static const Block& only_block(const StatedOperation& operation, std::size_t region) {
    if (region >= operation.regions.size() || operation.regions[region].size() != 1) {
      fail(fmt::format("{} has no region {} of one block", operation.name, region));
    }
    return operation.regions[region][0];
  }

  static const Attribute* named(const Attribute& lists, std::size_t i, std::string_view name) {
    if (i >= lists.entries.size()) return nullptr;
    for (const auto& [key, value] : lists.entries[i].second->entries) {
      if (key == name) return value;
    }
    return nullptr;
  }

  void read_main(const StatedOperation& main) {
    const Properties properties(main);
    const Block& body = only_block(main, 0);
    std::map<std::int64_t, Value> updated;
    Values inputs;
    for (std::size_t i = 0; i < body.arguments.size(); ++i) {
      const std::string name = fmt::format("arg{}", i);
      if (is_counter(*body.types[i])) refuse(main, fmt::format("input {} is ui64", i));
      inputs.push_back(guarded(main, [&] { return graph_->input(name, type_of(*body.types[i])); }));
      const Attribute* becomes = named(properties.get("arg_attrs"), i, "tf.aliasing_output");
      if (becomes == nullptr) continue;
      if (!updated.emplace(becomes->number, inputs.back()).second) {
        refuse(main, "two inputs alias one output");
      }
    }
    const Values results = read_block(body, inputs, std::vector<Bound>(inputs.size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (result_bounds_[i]) refuse(main, fmt::format("output {} is ui64", i));
      const auto input = updated.find(static_cast<std::int64_t>(i));
      const std::string name = fmt::format("result{}", i);
      guarded(main, [&] {
        if (input == updated.end()) return graph_->output(name, results[i]);
        graph_->update(input->second, name, results[i]);
      });
    }
    if (!updated.empty() &&
        (updated.begin()->first < 0 || updated.rbegin()->first >= std::ssize(results))) {
      refuse(main, "an input aliases an output that does not exist");
    }
  }

  // The values that a block returns; result_bounds_ has their bounds.
  Values read_block(const Block& block, const Values& arguments, const std::vector<Bound>& bounds) {
    if (arguments.size() != block.arguments.size()) fail("a block takes other values than it gets");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].type() != type_of(*block.types[i]) ||
          bounds[i].has_value() != is_counter(*block.types[i])) {
        fail("a block takes values of other types than it gets");
      }
      define(block.arguments[i], arguments[i], bounds[i]);
    }
    for (const StatedOperation& operation : block.operations) {
      if (plain_name(operation) == "return") {
        Values results;
        for (const int operand : operation.operands) results.push_back(use(operand));
        result_bounds_ = bounds_of(operation);
        return results;
      }
      if (++operations_ > kMostOperations) {
        refuse(operation, fmt::format("more than {} operations", kMostOperations));
      }
      const Values results = guarded(operation, [&] { return read_operation(operation); });
      if (results.size() != operation.results.size()) {
        refuse(operation, fmt::format("{} has {} results", plain_name(operation), results.size()));
      }
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i].type() != type_of(*operation.types[i]) ||
            result_bounds_[i].has_value() != is_counter(*operation.types[i])) {
          refuse(operation,
                 fmt::format("{} gives {}", plain_name(operation), to_string(results[i].type())));
        }
        define(operation.results[i], results[i], result_bounds_[i]);
      }
    }
    fail("a block does not return");
  }

  void define(int number, Value value, Bound bound) {
    values_.at(static_cast<std::size_t>(number)) = value;
    bounds_.at(static_cast<std::size_t>(number)) = bound;
  }

  Value use(int number) {
    const Value value = values_.at(static_cast<std::size_t>(number));
    if (!value || (&value.graph() != graph_.get() && &value.graph() != outer_)) {
      fail("a value is used where it is not defined");
    }
    return &value.graph() == graph_.get() ? value : capture(value);
  }

  // A value outside of a loop's region is an input of it, or a constant.
  Value capture(Value value) {
    const auto [found, is_new] = captured_.try_emplace(value.id());
    const Literal* known = is_new ? outer_known_->find(value.id()) : nullptr;
    if (known != nullptr) {
      found->second = constant(*graph_, *known);
    } else if (is_new) {
      found->second = graph_->input(fmt::format("captured{}", captures_.size()), value.type());
      captures_.push_back(value);
    }
    return found->second;
  }

  Values operands_of(const StatedOperation& operation) {
    Values operands;
    for (const int operand : operation.operands) operands.push_back(use(operand));
    return operands;
  }

  std::vector<Bound> bounds_of(const StatedOperation& operation) const {
    std::vector<Bound> bounds;
    for (const int operand : operation.operands) {
      bounds.push_back(bounds_.at(static_cast<std::size_t>(operand)));
    }
    return bounds;
  }

  // ---- Operations ----

  template <typename Work>
  static std::invoke_result_t<Work> guarded(const StatedOperation& operation, const Work& work) {
    try {
      return work();
    } catch (const PlacedError&) {
      throw;
    } catch (const GraphError& error) {
      refuse(operation, error.what());
    }
  }

  [[noreturn]] static void refuse(const StatedOperation& operation, std::string_view what) {
    const std::string place = place_of(operation.location);
    if (place.empty()) throw GraphError(std::string(what));  // a call around it may have one
    if (what.starts_with(place)) throw PlacedError(std::string(what));
    throw PlacedError(fmt::format("{}: {}", place, what));
  }

  // result_bounds_ has the results' bounds.
  Values read_operation(const StatedOperation& operation) {
    const std::string_view name = plain_name(operation);
    const bool is_vhlo = operation.dialect == "vhlo";
    if (operation.name == "sharding_constraint" || operation.name == "unrealized_conversion_cast" ||
        (is_vhlo && name == "optimization_barrier")) {
      return same(operation);
    }
    if (is_vhlo && name == "call") return read_call(operation, "callee");
    if (is_vhlo && name == "composite") return read_composite(operation);
    if (is_vhlo && name == "while") return read_while(operation);
    if (is_vhlo && (name == "case" || name == "if")) return read_choice(operation);
    if (is_vhlo && name == "custom_call") return read_custom_call(operation);
    if (is_vhlo && (name == "reduce" || name == "reduce_window") && !is_one_function(operation)) {
      return read_reduction(operation);
    }
    if (is_vhlo && name == "sort") return read_sort(operation);
    if (is_vhlo && is_collective(name)) return read_collective(operation);
    if (is_vhlo && name == "reduce_precision") {
      result_bounds_.assign(1, Bound());
      return {rounded(operation, use(operation.operands.at(0)))};
    }
    return add(statement_of(operation), operation);
  }

  Values add(Statement statement, const StatedOperation& operation) {
    statement.operands = operands_of(operation);
    const bool counts = !operation.types.empty() && is_counter(*operation.types[0]);
    const Bound bound = counter_bound(statement, bounds_of(operation), counts);
    const Graph::Scope layer(*graph_, scope_of(operation));
    Values results = add_statement(*graph_, statement, products_);
    need_results(statement, results);
    result_bounds_.assign(results.size(), bound);
    return results;
  }

  // JAX traces a function of its own once, and only its calls have the user's line.
  std::string scope_of(const StatedOperation& operation) const {
    const std::string place = place_of(operation.location);
    return place.empty() ? around_ : place;
  }

  Values same(const StatedOperation& operation) {
    result_bounds_ = bounds_of(operation);
    return operands_of(operation);
  }

  Values read_call(const StatedOperation& operation, std::string_view property) {
    const std::string_view name = Properties(operation).text(property);
    const auto function = functions_.find(name);
    if (function == functions_.end()) {
      throw GraphError(fmt::format("there is no function {}", name));
    }
    if (++calls_ > kMostCalls) {
      throw GraphError(fmt::format("calls nest deeper than {}", kMostCalls));
    }
    const std::string around = std::exchange(around_, scope_of(operation));
    Values results =
        read_block(only_block(*function->second, 0), operands_of(operation), bounds_of(operation));
    around_ = around;
    --calls_;
    return results;
  }

  // JAX names functions that XLA has of its own, as chlo.erf, and says what they are of others.
  Values read_composite(const StatedOperation& operation) {
    const std::string_view name = Properties(operation).text("name");
    for (const std::string_view own : {"erf", "erfc", "erf_inv"}) {
      if (name != fmt::format("chlo.{}", own)) continue;
      return add(statement_of(operation, find_kind(own)), operation);
    }
    return read_call(operation, "decomposition");
  }

  // A loop's region as a graph, and the values that it captures.
  std::pair<const Graph*, Values> read_region(const Block& block, const Values& carried) {
    auto around = std::exchange(graph_, std::make_unique<Graph>());
    outer_ = around.get();
    auto known = std::exchange(known_, std::make_unique<KnownValues>(*graph_));
    outer_known_ = known.get();
    Values inputs;
    for (const Value value : carried) {
      inputs.push_back(graph_->input(fmt::format("x{}", inputs.size()), value.type()));
    }
    const Values results = read_block(block, inputs, std::vector<Bound>(inputs.size()));
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (result_bounds_[i]) throw GraphError("while: it carries a ui64");
      graph_->output(fmt::format("y{}", i), results[i]);
    }
    // Values keep a pointer to their graph.
    regions_.push_back(std::exchange(graph_, std::move(around)));
    known_ = std::move(known);
    outer_ = nullptr;
    captured_.clear();
    return {regions_.back().get(), std::exchange(captures_, {})};
  }

  // The number of iterations depends on data: the processor counts them.
  Values loop(const Block& condition, const Block& body, const Values& values,
              const std::vector<Bound>& bounds) {
    if (outer_ != nullptr) {
      throw GraphError(
          "while: the number of iterations depends on data, in a loop of which the same is true; "
          "give one of them a constant number");
    }
    if (std::ranges::any_of(bounds, [](const Bound& bound) { return bound.has_value(); })) {
      throw GraphError("while: it carries a ui64, and its number of iterations depends on data");
    }
    const auto [holds, of_condition] = read_region(condition, values);
    const auto [next, of_body] = read_region(body, values);
    result_bounds_.assign(values.size(), Bound());
    return add_while(*graph_, values, *holds, of_condition, *next, of_body);
  }

  // The body is read once for each iteration, while the condition is known to hold.
  Values read_while(const StatedOperation& operation) {
    const Block &condition = only_block(operation, 0), &body = only_block(operation, 1);
    Values values = operands_of(operation);
    std::vector<Bound> bounds = bounds_of(operation);
    for (std::size_t iterations = 0;; ++iterations) {
      const Values goes_on = read_block(condition, values, bounds);
      const Literal* known = goes_on.size() == 1 ? known_->find(goes_on[0].id()) : nullptr;
      if (known == nullptr) return loop(condition, body, values, bounds);
      if (known->at(0) == 0) break;
      if (iterations == kMostIterations) {
        throw GraphError(fmt::format("while: more than {} iterations", kMostIterations));
      }
      values = read_block(body, values, bounds);
      bounds = result_bounds_;
    }
    result_bounds_ = bounds;
    return values;
  }

  Values read_choice(const StatedOperation& operation) {
    if (operation.operands.size() != 1) fail("a choice has one operand");
    const Value chosen = use(operation.operands[0]);
    const Choice choice(chosen, known_->find(chosen.id()), operation.regions.size());
    Values results = choice.take([&](std::size_t i) {
      Values branch = read_block(only_block(operation, i), {}, {});
      if (branch.size() != operation.types.size()) fail("a branch has other results");
      return branch;
    });
    result_bounds_.assign(results.size(), Bound());
    return results;
  }

  Values read_custom_call(const StatedOperation& operation) {
    const std::string_view name = Properties(operation).text("call_target_name");
    if (name == "Sharding") return same(operation);
    for (const OperationKind& kind : factor_kinds()) {
      const bool is_qr = kind.name == "qr";
      if (name != (is_qr ? "Qr" : "ProductOfElementaryHouseholderReflectors")) continue;
      return add(statement_of(operation, kind), operation);
    }
    const bool calls_python = name.find("callback") != std::string_view::npos;
    throw GraphError(fmt::format(
        "custom_call @{}: {}", name,
        calls_python ? "a program calls no Python: take jax.debug.print and callbacks out of the "
                       "function, or return the values"
                     : "a device has no such operation: compute it on JAX's CPU, by "
                       "jax.default_device (docs/pjrt.md)"));
  }

  Values read_sort(const StatedOperation& operation) {
    const Graph::Scope layer(*graph_, scope_of(operation));
    const Block& comparator = only_block(operation, 0);
    const auto before = [&](std::span<const Value> first, std::span<const Value> second) {
      Values pairs;
      for (std::size_t i = 0; i < first.size(); ++i) {
        pairs.push_back(first[i]);
        pairs.push_back(second[i]);
      }
      return apply(comparator, pairs).at(0);
    };
    const Values operands = operands_of(operation);
    result_bounds_.assign(operands.size(), Bound());
    return sort(operands, Properties(operation).integer("dimension"), before);
  }

  Values read_collective(const StatedOperation& operation) {
    if (outer_ != nullptr && place_.cores > 1) {
      throw GraphError(fmt::format(
          "{} in a loop whose number of iterations depends on data: cores may count differently; "
          "give it a constant number",
          plain_name(operation)));
    }
    const Graph::Scope layer(*graph_, scope_of(operation));
    const Combine combine = [&](const Values& first, const Values& second) {
      return apply(only_block(operation, 0), {first[0], second[0]});
    };
    Values results =
        artifact::read_collective(operation, *graph_, place_, operands_of(operation), combine);
    result_bounds_.assign(results.size(), Bound());
    return results;
  }

  // A function of scalars, applied to all elements of tensors of one shape.
  Values apply(const Block& block, const Values& arguments) {
    if (block.arguments.size() != arguments.size()) fail("a region takes other values");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      define(block.arguments[i], arguments[i], Bound());
    }
    const Shape shape = arguments[0].shape();
    for (const StatedOperation& operation : block.operations) {
      Values operands;
      for (const int operand : operation.operands) {
        operands.push_back(broadcast_to(use(operand), shape));
      }
      if (plain_name(operation) == "return") return operands;
      const Values results = guarded(operation, [&] { return apply(operation, operands); });
      if (results.size() != operation.results.size())
        fail("a region's operation has other results");
      for (std::size_t i = 0; i < results.size(); ++i) {
        define(operation.results[i], results[i], Bound());
      }
    }
    fail("a region does not return");
  }

  Values apply(const StatedOperation& operation, const Values& operands) {
    if (operation.dialect == "vhlo" && plain_name(operation) == "call") {
      const auto function = functions_.find(Properties(operation).text("callee"));
      if (function == functions_.end() || ++calls_ > kMostCalls) fail("a region's call");
      Values results = apply(only_block(*function->second, 0), operands);
      --calls_;
      return results;
    }
    Statement statement = statement_of(operation);
    if (statement.kind->loop == nullptr && statement.kind->name != "constant") {
      throw GraphError(
          fmt::format("a function of elements by {} is not supported", statement.kind->name));
    }
    statement.operands = operands;
    if (!operands.empty()) {
      for (graph::Attribute& attribute : statement.attributes) {
        if (auto* type = std::get_if<Type>(&attribute)) type->shape = operands[0].shape();
      }
    }
    return add_statement(*graph_, statement, products_);
  }

  // By a function of the user's own, or of several operands, as an argmax.
  Values read_reduction(const StatedOperation& operation) {
    const Graph::Scope layer(*graph_, scope_of(operation));
    const Properties properties(operation);
    const Values all = operands_of(operation);
    if (all.empty() || all.size() % 2 != 0) fail("a reduction has an initial value each");
    const auto half = static_cast<std::ptrdiff_t>(all.size() / 2);
    const Values x(all.begin(), all.begin() + half), starts(all.begin() + half, all.end());
    result_bounds_.assign(x.size(), Bound());
    const Block& block = only_block(operation, 0);
    const Combine combine = [&](const Values& first, const Values& second) {
      Values pairs = first;
      pairs.insert(pairs.end(), second.begin(), second.end());
      return apply(block, pairs);
    };
    if (plain_name(operation) == "reduce") {
      const Integers dimensions = properties.integers("dimensions");
      const std::string_view direction = extreme_of(operation);
      if (!direction.empty() && dimensions.size() == 1 && counts_along(x[1], dimensions[0])) {
        return extreme(x[0], starts[0], x[1], dimensions[0], direction == "GT");
      }
      return reduce_by(combine, x, starts, dimensions);
    }
    return reduce_window_by(combine, x, starts,
                            {.size = properties.integers("window_dimensions"),
                             .strides = properties.integers("window_strides"),
                             .padding = properties.integers("padding"),
                             .base_dilation = properties.integers("base_dilations"),
                             .dilation = properties.integers("window_dilations")},
                            type_of(*operation.types.at(0)).shape);
  }

  Module module_;
  std::unique_ptr<Graph> graph_;
  Products products_;
  CorePlace place_;
  std::unique_ptr<KnownValues> known_ = std::make_unique<KnownValues>(*graph_);
  // In a region of a loop: the graph around it, and what the region captures of it.
  Graph* outer_ = nullptr;
  KnownValues* outer_known_ = nullptr;
  std::map<int, Value> captured_;  // by value of the graph around
  Values captures_;
  std::vector<std::unique_ptr<Graph>> regions_;
  Values values_;              // by number
  std::vector<Bound> bounds_;  // likewise
  std::vector<Bound> result_bounds_;
  std::map<std::string_view, const StatedOperation*> functions_;
  std::size_t operations_ = 0;
  int calls_ = 0;
  std::string around_;  // the line of the innermost call
};

}  // namespace
}  // namespace artifact

bool is_artifact(std::string_view bytes) { return bytes.starts_with(artifact::kMark); }

std::unique_ptr<Graph> read_artifact(std::string_view bytes, Products products, CorePlace place) {
  return artifact::ArtifactReader(bytes, products, place).read();
}

}  // namespace systole::graph
