#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/graph/graph.h"
#include "host/graph/scanner.h"
#include "host/graph/statement.h"

namespace systole::graph {

/// Values by their names in a text; a region sees the names around it.
class Names {
 public:
  explicit Names(const Names* around = nullptr) : around_(around) {}

  /// Errors   GraphError with the place, for a name defined twice, or after its use
  void define(const Scanner& in, std::size_t place, const std::string& name, Value value);
  Value use(Scanner& in) const;

 private:
  const Value* find(const std::string& name) const;

  const Names* around_;
  std::map<std::string, Value, std::less<>> values_;
};

/// Reads an operation after "%name =", up to its location, in both of MLIR's spellings.
///
/// Limits   no pretty spelling of rng_bit_generator, which JAX does not print for our types
/// Errors   GraphError with line, column and the operation where it is known
class StatementReader {
 public:
  /// others: kinds beside those of StableHLO
  StatementReader(Scanner& in, const Names& names, std::span<const OperationKind* const> others)
      : in_(in), names_(names), others_(others) {}

  /// "stablehlo.add"(%x, %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  Statement generic(std::size_t place);

  /// stablehlo.add %x, %y : tensor<2xf32>
  Statement pretty(std::size_t place);

  /// Fills in the defaults that the text omits: the result's type, strides and dilations of 1,
  /// padding of 0.
  void complete(Statement& statement) const;

 private:
  Statement begin(std::size_t place, std::size_t name_place, std::string_view name) const;
  const OperationKind& kind_of(std::size_t place, std::string_view name) const;
  void read_property(Statement& statement);
  void take_request(Statement& statement, std::string_view name, std::string_view value,
                    std::size_t place) const;
  void read_properties(Statement& statement);
  std::string read_region();
  void end_region(std::string_view result, bool pretty, std::size_t place);
  std::vector<std::string> generic_body(std::string& body);
  std::vector<std::string> pretty_body(std::string& body);
  void give_regions(Statement& statement, const std::vector<std::string>& bodies) const;
  void read_function_type(Statement& statement);

  void read_operand_list(Statement& statement);
  void read_key(Statement& statement);
  void read_slice(Statement& statement);
  void read_convolution(Statement& statement);
  void read_reduce(Statement& statement);
  void read_pretty_types(Statement& statement);
  Integers read_integers();
  void set(Statement& statement, std::string_view name, Attribute value);

  Scanner& in_;
  const Names& names_;
  std::span<const OperationKind* const> others_;
};

/// Skips loc(...) and returns the name in it, if it has one.
std::string pass_location(Scanner& in);

}  // namespace systole::graph
