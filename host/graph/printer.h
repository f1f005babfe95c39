#pragma once

#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systole::graph {

/// "dense<1.0> : tensor<f32>".
std::string print_literal(const Literal& literal);

/// Writes a graph as print does; a derived class writes some operations differently.
class Printer {
 public:
  explicit Printer(const Graph& graph);
  virtual ~Printer() = default;

  /// The module, without the checksum.
  std::string module_text() const;

 protected:
  /// An operation, in one line or more.
  virtual std::string line(const Operation& operation) const;

  /// What may differ in that line.
  struct Words {
    std::string result;                      ///< "%3"
    std::string name;                        ///< "stablehlo.add"
    std::vector<std::string> operands = {};  ///< "%x"
    std::vector<std::string> properties = {};
  };
  Words words_of(const Operation& operation) const;
  std::string line(const Operation& operation, const Words& words) const;

  /// "%3" of the values "%3#0" and "%3#1".
  std::string group_of(const Operation& operation) const;

  const Graph& graph() const { return graph_; }
  const std::string& name(int value) const { return names_[static_cast<std::size_t>(value)]; }
  /// Replaces an operation's result's name.
  void rename(int value, std::string name) {
    names_[static_cast<std::size_t>(value)] = std::move(name);
  }

 private:
  void name_values();

  const Graph& graph_;
  std::vector<std::string> names_;
};

}  // namespace systole::graph
