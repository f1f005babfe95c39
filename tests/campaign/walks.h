#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// Writes statements that go through arrays: range-for, pointers that walk up and down, algorithms
/// of the standard library, std::optional, and counters of 64 bits.
///
/// They draw from a sequence of their own, so that the rest of a seed's kernel is what it was
/// before there were any.
class Walks {
 public:
  explicit Walks(const Random& random) : random_(random), expressions_(random_) { random_.bits(); }
  Walks(const Walks&) = delete;
  Walks& operator=(const Walks&) = delete;

  /// With a chance of one in `times`, a statement that writes something of the scope; else "".
  std::string perhaps(std::uint32_t times, const Scope& scope, const std::string& margin);
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }

 private:
  std::string reads(const Array& array, const Variable& to, const std::string& margin);
  std::string algorithm(const Array& array, const Variable& to, const Scope& scope,
                        const std::string& margin);
  std::string list(const Variable& to, const Scope& scope, const std::string& margin);
  std::string optional(const Variable& to, const Scope& scope, const std::string& margin);
  std::string counted(const Array& array, const Variable& to, const std::string& margin);

  /// A value of the type that depends on these and, perhaps, on `scope`.
  std::string from(const ValueType& type, const std::vector<Variable>& values,
                   const Scope& scope = {});
  std::string of_type(const ValueType& type, const Scope& scope);
  std::string fresh(const char* role) { return fmt::format("{}_w{}", role, names_++); }
  Random random_;
  Expressions expressions_;
  int names_ = 0;
};

}  // namespace systole::tests
