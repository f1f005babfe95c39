#pragma once

#include <vector>

#include "host/graph/graph.h"
#include "host/graph/text.h"

namespace systole::graph {

/// One operation as a program states it.
struct Statement {
  std::size_t place = 0;  ///< in a text
  const OperationKind* kind = nullptr;
  std::vector<Value> operands = {};
  std::vector<Attribute> attributes = {};  ///< one for each of kind->attributes
  std::vector<bool> found = {};            ///< which of them a text states
  std::vector<Type> operand_types = {}, result_types = {};
  bool detached = false;
  int asked = 1;             ///< of a product: see asked_product.h
  bool total_order = false;  ///< a comparison's TOTALORDER
};

/// Adds a statement's operation, and what brings its operands to it (normalize.h).
///
/// Errors   GraphError for operands that do not fit
std::vector<Value> add_statement(Graph& graph, Statement& statement, Products products);

/// Errors   GraphError for results that are not of the stated types
void need_results(const Statement& statement, const std::vector<Value>& results);

/// The results of a choice of which all branches are computed, as no operation has effects: an i32
/// takes the branch of its number, or the last; an i1 the first where it is true. `known`, if not
/// null, is the choice's value.
class Choice {
 public:
  /// Errors   GraphError for a choice of another type, or branches that do not fit it
  Choice(Value choice, const Literal* known, std::size_t branches);

  /// `branch(i)` gives the results of branch i, and is called for those that may be taken.
  template <typename Branch>
  std::vector<Value> take(const Branch& branch) const {
    if (known_ >= 0) return branch(static_cast<std::size_t>(known_));
    std::vector<Value> values;
    for (std::size_t i = branches_; i-- > 0;) values = either(i, branch(i), std::move(values));
    return values;
  }

 private:
  std::vector<Value> either(std::size_t number, std::vector<Value> branch,
                            std::vector<Value> others) const;

  Value choice_;
  std::size_t branches_;
  std::int64_t known_ = -1;
};

}  // namespace systole::graph
