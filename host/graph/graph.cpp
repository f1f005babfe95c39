#include "host/graph/graph.h"

#include <algorithm>
#include <cctype>

namespace systole::graph {
namespace {

// Whether an attribute holds its form's alternative.
bool holds(const AttributeSpec& spec, const Attribute& attribute) {
  switch (spec.form) {
    case Form::kInteger:
      return std::holds_alternative<std::int64_t>(attribute);
    case Form::kIntegers:
      return std::holds_alternative<Integers>(attribute);
    case Form::kPairs:
      return std::holds_alternative<Integers>(attribute) &&
             (spec.kind == "group" || std::get<Integers>(attribute).size() % 2 == 0);
    case Form::kKeyword:
    case Form::kConvolution:
    case Form::kRegion:
      return std::holds_alternative<std::string>(attribute);
    case Form::kDimensions:
      return std::holds_alternative<Dimensions>(attribute);
    case Form::kLiteral:
      return std::holds_alternative<Literal>(attribute);
    case Form::kType:
      return std::holds_alternative<Type>(attribute);
  }
  return false;
}

std::vector<Type> infer(const Call& call) {
  const OperationKind& kind = call.kind;
  const auto count = static_cast<int>(call.operands.size());
  call.need(kind.operands < 0 ? count > 0 : count == kind.operands, "has {} operands, not {}",
            count, kind.operands < 0 ? "one or more" : std::to_string(kind.operands));
  call.need(call.attributes.size() == kind.attributes.size(), "has {} attributes, not {}",
            call.attributes.size(), kind.attributes.size());
  for (std::size_t i = 0; i < kind.attributes.size(); ++i) {
    call.need(holds(kind.attributes[i], call.attributes[i]), "attribute {} has the wrong form",
              kind.attributes[i].name);
  }
  std::vector<Type> types = kind.infer(call);
  for (const Type& type : types) {
    call.need(is_countable(type.shape), "the result has too many elements: {}",
              to_string(type.shape));
  }
  return types;
}

}  // namespace

std::int64_t Value::dimension(std::int64_t d) const {
  return shape().at(static_cast<std::size_t>(d < 0 ? d + type().rank() : d));
}

Value Graph::input(std::string_view name, const Type& type) {
  need_name(name, std::ranges::find(inputs_, name, &Input::name) == inputs_.end());
  if (!is_countable(type.shape)) {
    throw GraphError(fmt::format("input {}: {} is not a valid shape", name, to_string(type.shape)));
  }
  values_.push_back({.type = type});
  const int id = static_cast<int>(values_.size()) - 1;
  inputs_.push_back({.name = std::string(name), .value = id});
  return {this, id};
}

void Graph::output(std::string_view name, Value value) {
  need_name(name, std::ranges::find(outputs_, name, &Output::name) == outputs_.end());
  need_here(value, "an output");
  outputs_.push_back({.name = std::string(name), .value = value.id()});
}

void Graph::update(Value input, std::string_view name, Value value) {
  const auto old = std::ranges::find(inputs_, input.id(), &Input::value);
  if (&input.graph() != this || old == inputs_.end() || old->updated_by >= 0) {
    throw GraphError(fmt::format("{}: only an input can be updated, and only once", name));
  }
  if (input.type() != value.type()) {
    throw GraphError(fmt::format("{}: an input {} cannot become {}", name, to_string(input.type()),
                                 to_string(value.type())));
  }
  output(name, value);
  old->updated_by = static_cast<int>(outputs_.size()) - 1;
}

std::vector<Value> Graph::inputs_as(const Graph& other) {
  std::vector<Value> values(other.value_count());
  for (const Input& one : other.inputs_) values[one.value] = input(one.name, other.type(one.value));
  return values;
}

void Graph::add_as(const Operation& operation, std::vector<Value>& values) {
  std::vector<Value> operands;
  for (const int operand : operation.operands) operands.push_back(values[operand]);
  const std::vector<Value> results = add(operation, operands);
  for (std::size_t i = 0; i < results.size(); ++i) values[operation.results[i]] = results[i];
}

void Graph::output_as(const Graph& other, std::span<const Value> values) {
  const auto here = [&](int value) { return values[value]; };
  for (std::size_t i = 0; i < other.outputs_.size(); ++i) {
    const auto& [name, value] = other.outputs_[i];
    const auto input = std::ranges::find(other.inputs_, static_cast<int>(i), &Input::updated_by);
    if (input == other.inputs_.end()) {
      output(name, here(value));
    } else {
      update(here(input->value), name, here(value));
    }
  }
}

std::vector<Value> Graph::add(const OperationKind& kind, std::span<const Value> operands,
                              std::vector<Attribute> attributes) {
  Operation operation{.kind = &kind, .attributes = std::move(attributes), .scope = scope_};
  for (const Value value : operands) {
    need_here(value, kind.name);
    operation.operands.push_back(value.id());
  }
  std::vector<Value> results;
  for (Type& type : infer(call(operation))) {
    values_.push_back({.type = std::move(type), .operation = static_cast<int>(operations_.size())});
    operation.results.push_back(static_cast<int>(values_.size()) - 1);
    results.emplace_back(this, operation.results.back());
  }
  operations_.push_back(std::move(operation));
  return results;
}

std::vector<Value> Graph::add(const Operation& operation, std::span<const Value> operands) {
  std::vector<Value> results = add(*operation.kind, operands, operation.attributes);
  if (operation.detached) detach(results[0]);
  return results;
}

Value Graph::add(std::string_view kind, std::initializer_list<Value> operands,
                 std::vector<Attribute> attributes) {
  return add(find_kind(kind), std::vector(operands), std::move(attributes)).front();
}

Value Graph::detach(Value value) {
  need_here(value, "detach");
  const int producer = this->producer(value.id());
  if (producer >= 0) operations_[producer].detached = true;
  return value;
}

Graph::Scope::Scope(Graph& graph, std::string_view name)
    : graph_(graph), length_(graph.scope_.size()) {
  if (length_ > 0) graph_.scope_ += '/';
  graph_.scope_ += name;
}

Call Graph::call(const Operation& operation) const {
  Call call{.kind = *operation.kind,
            .attributes = operation.attributes,
            .operands = {},
            .scope = operation.scope};
  for (const int operand : operation.operands) call.operands.push_back(type(operand));
  return call;
}

const Operation* Graph::maker(int value) const {
  return producer(value) < 0 ? nullptr : &operations_[producer(value)];
}

int Graph::before_reshapes(int value) const {
  const Operation* operation = maker(value);
  return operation != nullptr && operation->kind->name == "reshape"
             ? before_reshapes(operation->operands[0])
             : value;
}

const Literal* Graph::literal(int value) const {
  const Operation* operation = maker(value);
  if (operation == nullptr || operation->kind->name != "constant") return nullptr;
  return &std::get<Literal>(operation->attributes[0]);
}

std::optional<double> Graph::splat(int value) const {
  const Literal* found = literal(value);
  return found != nullptr && found->is_splat() ? std::optional(found->values[0]) : std::nullopt;
}

void Graph::verify() const {
  int known = static_cast<int>(inputs_.size());
  std::vector<bool> defined(values_.size());
  for (const Input& input : inputs_) defined[input.value] = true;
  for (const Operation& operation : operations_) {
    const Call call = this->call(operation);
    for (const int operand : operation.operands) {
      call.need(defined[operand], "comes before its operand");
    }
    const std::vector<Type> types = infer(call);
    call.need(types.size() == operation.results.size(), "has {} results, not {}",
              operation.results.size(), types.size());
    for (std::size_t i = 0; i < types.size(); ++i, ++known) {
      const auto result = static_cast<std::size_t>(operation.results[i]);
      call.need(types[i] == values_[result].type, "gives {}, not {}", to_string(types[i]),
                to_string(values_[result].type));
      defined[result] = true;
    }
  }
  if (static_cast<std::size_t>(known) != values_.size()) {
    throw GraphError(fmt::format("{} values belong to no operation", values_.size() - known));
  }
}

void Graph::need_here(Value value, std::string_view what) const {
  if (!value || &value.graph() != this) {
    throw GraphError(fmt::format("{}{}{}: a value belongs to another graph", scope_,
                                 scope_.empty() ? "" : ": ", what));
  }
}

void Graph::need_name(std::string_view name, bool is_new) const {
  const auto fits = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.$-").find(c) != std::string_view::npos;
  };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ||
      !std::ranges::all_of(name, fits)) {
    throw GraphError(fmt::format(
        "'{}' is not a name: write a letter or _, then letters, digits and any of _.$-", name));
  }
  if (!is_new) throw GraphError(fmt::format("the name {} is taken", name));
}

}  // namespace systole::graph
