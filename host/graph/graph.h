#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/graph/operation.h"

namespace systole::graph {

class Graph;

/// A handle of a graph's value, an input or a result of an operation; cheap to copy.
class Value {
 public:
  Value() = default;
  Value(Graph* graph, int id) : graph_(graph), id_(id) {}

  Graph& graph() const { return *graph_; }
  int id() const { return id_; }
  const Type& type() const;
  const Shape& shape() const { return type().shape; }
  std::int64_t dimension(std::int64_t d) const;  ///< counts from the end where d < 0
  explicit operator bool() const { return graph_ != nullptr; }

 private:
  Graph* graph_ = nullptr;
  int id_ = -1;
};

struct Operation {
  const OperationKind* kind = nullptr;
  std::vector<int> operands = {};
  std::vector<Attribute> attributes = {};  ///< one for each of kind->attributes
  std::vector<int> results = {};
  std::string scope = {};  ///< the layer it is part of
  bool detached = false;   ///< gradients treat its results as constants
};

struct Input {
  std::string name;
  int value = -1;
  int updated_by = -1;  ///< the output with its new value, as of a weight
};

struct Output {
  std::string name;
  int value = -1;
};

/// Tensor operations, each after its operands.
///
/// Limits   values belong to one graph; a graph only grows, and is not copied
/// Errors   GraphError with the scope, the operation and its operands' types if they do not fit;
///          the graph is then unchanged
class Graph {
 public:
  Graph() = default;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Limits   names are [A-Za-z_][A-Za-z0-9_.$-]*, each once
  Value input(std::string_view name, const Type& type);
  void output(std::string_view name, Value value);
  /// Another graph's inputs; returns a place for each of its values, those of the inputs filled in.
  std::vector<Value> inputs_as(const Graph& other);
  /// Copies another graph's operation, in the current scope; `values` holds that graph's values
  /// here, and gets the operation's results.
  void add_as(const Operation& operation, std::vector<Value>& values);

  /// Also an output; the new value may overwrite the input's memory after its last use.
  void update(Value input, std::string_view name, Value value);

  /// Copies another graph's outputs and updates; `values` holds its values here.
  void output_as(const Graph& other, std::span<const Value> values);

  std::vector<Value> add(const OperationKind& kind, std::span<const Value> operands,
                         std::vector<Attribute> attributes);
  /// The same operation on other operands, in the current scope.
  std::vector<Value> add(const Operation& operation, std::span<const Value> operands);
  Value add(std::string_view kind, std::initializer_list<Value> operands,
            std::vector<Attribute> attributes = {});

  /// The same value, which gradients treat as a constant.
  Value detach(Value value);

  /// Scope of the operations added while it lives: "encoder/gru".
  class Scope {
   public:
    Scope(Graph& graph, std::string_view name);
    ~Scope() { graph_.scope_.resize(length_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Graph& graph_;
    std::size_t length_;
  };
  const std::string& scope() const { return scope_; }

  const std::vector<Input>& inputs() const { return inputs_; }
  const std::vector<Output>& outputs() const { return outputs_; }
  const std::deque<Operation>& operations() const { return operations_; }
  const Type& type(int value) const { return values_[value].type; }
  std::size_t value_count() const { return values_.size(); }

  /// The value that reshapes make `value` of; itself where there are none.
  int before_reshapes(int value) const;

  /// The index of the operation that makes a value; -1 for an input.
  int producer(int value) const { return values_[value].operation; }
  /// That operation; null for an input.
  const Operation* maker(int value) const;
  Value value(int id) { return {this, id}; }
  Call call(const Operation& operation) const;

  /// A constant's literal; null for any other value.
  const Literal* literal(int value) const;
  /// The number that all elements of a constant are; nothing for any other value.
  std::optional<double> splat(int value) const;

  /// Rechecks everything: order, types, attributes, names, outputs.
  ///
  /// Errors   GraphError
  void verify() const;

 private:
  struct ValueInfo {
    Type type;
    int operation = -1;
  };

  void need_here(Value value, std::string_view what) const;
  void need_name(std::string_view name, bool is_new) const;

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  // Deques, so references to types and operations stay valid while the graph grows.
  std::deque<Operation> operations_;
  std::deque<ValueInfo> values_;
  std::string scope_;
};

inline const Type& Value::type() const { return graph_->type(id_); }

}  // namespace systole::graph
