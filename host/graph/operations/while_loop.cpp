#include "host/graph/while_loop.h"

#include "host/graph/operations/operations.h"
#include "host/graph/reference.h"
#include "host/graph/text.h"

namespace systole::graph {
namespace {

std::vector<Type> infer(const Call& call) {
  const std::int64_t carried = call.integer("carried");
  call.need(carried >= 0 && carried <= std::ssize(call.operands), "it carries {} values", carried);
  return {call.operands.begin(), call.operands.begin() + carried};
}

// The values that a region takes, of all operands.
std::vector<Literal> taken(std::span<const Literal> carried, std::span<const Literal> captured) {
  std::vector<Literal> values(carried.begin(), carried.end());
  values.insert(values.end(), captured.begin(), captured.end());
  return values;
}

std::vector<Literal> evaluate_while(const Call& call, std::span<const Literal> operands) {
  const WhileLoop loop = read_while(call.attributes);
  std::vector<Literal> values(operands.begin(),
                              operands.begin() + static_cast<std::ptrdiff_t>(loop.carried));
  const auto for_condition = operands.subspan(loop.carried, loop.condition_captures);
  const auto for_body = operands.subspan(loop.carried + loop.condition_captures);
  while (evaluate(*loop.condition, taken(values, for_condition))[0].at(0) != 0) {
    values = evaluate(*loop.body, taken(values, for_body));
  }
  return values;
}

std::vector<const OperationKind*> others() {
  std::vector<const OperationKind*> kinds;
  for (const OperationKind& kind : factor_kinds()) kinds.push_back(&kind);
  return kinds;
}

void need_region(const Graph& region, std::size_t inputs, const std::vector<Type>& outputs) {
  bool fits = region.inputs().size() == inputs && region.outputs().size() == outputs.size();
  for (std::size_t i = 0; fits && i < outputs.size(); ++i) {
    fits = region.type(region.outputs()[i].value) == outputs[i];
  }
  if (!fits) throw GraphError("while: a region's values do not fit");
}

}  // namespace

const OperationKind& while_kind() {
  static const OperationKind kKind{.name = "while",
                                   .operands = -1,
                                   .attributes = {{"carried"},
                                                  {"condition_captures"},
                                                  {"condition", Form::kKeyword},
                                                  {"body", Form::kKeyword}},
                                   .infer = infer,
                                   .evaluate = evaluate_while,
                                   .dialect = "systole"};
  return kKind;
}

std::vector<Value> add_while(Graph& graph, const std::vector<Value>& carried,
                             const Graph& condition, const std::vector<Value>& condition_captures,
                             const Graph& body, const std::vector<Value>& body_captures) {
  std::vector<Value> operands = carried;
  operands.insert(operands.end(), condition_captures.begin(), condition_captures.end());
  operands.insert(operands.end(), body_captures.begin(), body_captures.end());
  std::vector<Type> types;
  for (const Value value : carried) types.push_back(value.type());
  need_region(condition, carried.size() + condition_captures.size(), {{Element::kPred, {}}});
  need_region(body, carried.size() + body_captures.size(), types);
  return graph.add(
      while_kind(), operands,
      {std::ssize(carried), std::ssize(condition_captures), print(condition), print(body)});
}

WhileLoop read_while(std::span<const Attribute> attributes) {
  const std::vector<const OperationKind*> kinds = others();
  const auto region = [&](std::size_t i) {
    return read(std::get<std::string>(attributes[i]), Scopes::kAsWritten, Products::kFp32, kinds);
  };
  return {.carried = static_cast<std::size_t>(std::get<std::int64_t>(attributes[0])),
          .condition_captures = static_cast<std::size_t>(std::get<std::int64_t>(attributes[1])),
          .condition = region(2),
          .body = region(3)};
}

}  // namespace systole::graph
