#pragma once

#include <string>

#include "tests/campaign/expressions.h"
#include "tests/campaign/moves.h"
#include "tests/campaign/walks.h"

namespace systole::tests {

/// Writes random statements: locals, assignments, operators that assign, bits, fills, choices,
/// loops with constant bounds, break and continue, switches, local arrays, lambdas and early
/// returns.
///
/// Limits   nesting is at most two deep and loops make at most six turns, so that unrolled code
///          stays small
class Statements {
 public:
  Statements(Random& random, Expressions& expressions)
      : random_(random), expressions_(expressions), walks_(random), moves_(random) {}

  /// `count` statements at this indentation; what they declare stays in `scope`.
  std::string some(int count, Scope& scope, int indent);
  /// One assignment to something that is writable.
  std::string assign(Scope& scope, int indent) { return assignment(scope, indent); }
  /// What goes through arrays, and has a sequence of its own.
  Walks& walks() { return walks_; }
  /// What moves elements within arrays: the same.
  Moves& moves() { return moves_; }
  /// What `return` returns in statements: "" where an early return is not legal.
  void set_return(const Compound& type) { returns_ = type, may_return_ = true; }
  void set_return_text(std::string text) { return_text_ = std::move(text), may_return_ = true; }
  void forbid_return() { may_return_ = false; }

 private:
  std::string one(Scope& scope, int indent);
  std::string declaration(Scope& scope, int indent);
  std::string array_declaration(Scope& scope, int indent);
  std::string lambda(Scope& scope, int indent);
  std::string assignment(Scope& scope, int indent);
  std::string choice(Scope& scope, int indent);
  std::string switch_over(Scope& scope, int indent);
  std::string loop(Scope& scope, int indent);
  std::string search(Scope& scope, int indent);
  std::string leave(Scope& scope, int indent);
  std::string compound_assignment(Scope& scope, int indent);
  std::string bit_write(Scope& scope, int indent);
  std::string fill(Scope& scope, int indent);
  std::string early_return(Scope& scope, int indent);
  std::string block(int count, const Scope& scope, int indent);
  std::string fresh(const char* role) { return fmt::format("{}{}", role, names_++); }
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }

  Random& random_;
  Expressions& expressions_;
  Walks walks_;
  Moves moves_;
  int names_ = 0;
  int nesting_ = 0;
  enum class Leaving { kNot, kBreak, kBreakOrContinue };
  Leaving leaving_ = Leaving::kNot;  ///< the loop around
  Compound returns_;
  std::string return_text_;
  bool may_return_ = false;
};

}  // namespace systole::tests
