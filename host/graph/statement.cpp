#include "host/graph/statement.h"

#include "host/graph/asked_product.h"
#include "host/graph/grouped_convolution.h"
#include "host/graph/normalize.h"
#include "host/graph/ops.h"
#include "host/graph/sort.h"

namespace systole::graph {
namespace {

std::vector<Value> add_operation(Graph& graph, const Statement& statement, Products products) {
  const std::string_view name = statement.kind->name;
  const bool is_product = name == "dot_general" || name == "convolution";
  if (!is_product || statement.operands.size() != 2 || statement.result_types.size() != 1) {
    return graph.add(*statement.kind, statement.operands, statement.attributes);
  }
  const Operation product{.kind = statement.kind, .attributes = statement.attributes};
  const Element result = statement.result_types[0].element;
  const auto make = [&](auto function) {
    return std::vector<Value>{
        function(product, statement.operands, statement.asked, result, products)};
  };
  return name == "convolution" ? make(grouped_convolution) : make(asked_product);
}

}  // namespace

std::vector<Value> add_statement(Graph& graph, Statement& statement, Products products) {
  normalize(statement);
  if (statement.total_order && is_float(statement.operands[0].type().element)) {
    for (Value& operand : statement.operands) operand = total_order(operand);
  }
  std::vector<Value> results = add_operation(graph, statement, products);
  if (statement.detached) results[0] = graph.detach(results[0]);
  return results;
}

void need_results(const Statement& statement, const std::vector<Value>& results) {
  const std::string_view name = statement.kind->name;
  if (results.size() != statement.result_types.size()) {
    throw GraphError(fmt::format("{} has {} results", name, results.size()));
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].type() == statement.result_types[i]) continue;
    throw GraphError(fmt::format("{} gives {}, not {}", name, to_string(results[i].type()),
                                 to_string(statement.result_types[i])));
  }
}

Choice::Choice(Value choice, const Literal* known, std::size_t branches)
    : choice_(choice), branches_(branches) {
  const bool is_if = choice.type() == Type{Element::kPred, {}};
  if ((!is_if && choice.type() != Type{Element::kS32, {}}) || branches == 0 ||
      (is_if && branches != 2)) {
    throw GraphError("a choice has an i32 and branches, or an i1 and two");
  }
  if (known == nullptr) return;
  const double value = known->at(0);
  const auto last = static_cast<std::int64_t>(branches) - 1;
  if (is_if) {
    known_ = value != 0 ? 0 : 1;
  } else {
    const bool is_inside = value >= 0 && value <= static_cast<double>(last);
    known_ = is_inside ? static_cast<std::int64_t>(value) : last;
  }
}

std::vector<Value> Choice::either(std::size_t number, std::vector<Value> branch,
                                  std::vector<Value> others) const {
  for (std::size_t j = 0; j < others.size(); ++j) {
    const bool is_if = choice_.type().element == Element::kPred;
    const Value takes = is_if ? choice_ : compare(choice_, "EQ", static_cast<double>(number));
    branch[j] = select(takes, branch[j], others[j]);
  }
  return branch;
}

}  // namespace systole::graph
