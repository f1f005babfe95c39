#pragma once

#include <string>

#include "tests/campaign/expressions.h"

namespace systole::tests {

/// Writes statements that move elements: to the next place of their array by a counter of 64 bits,
/// and through rows of a local array, which are reversed and walked over.
///
/// They draw from a sequence of their own, so that the rest of a seed's kernel is what it was
/// before there were any.
class Moves {
 public:
  explicit Moves(const Random& random)
      : random_(Random(random).bits() ^ 0x307e5), expressions_(random_) {}
  Moves(const Moves&) = delete;
  Moves& operator=(const Moves&) = delete;

  /// With a chance of one in `times`, a statement that writes something of the scope; else "".
  std::string perhaps(std::uint32_t times, const Scope& scope, const std::string& margin);

 private:
  std::string shift(const Array& array, const std::string& margin);
  std::string rows(const Array& array, const Variable& to, const std::string& margin);
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }

  Random random_;
  Expressions expressions_;
  int names_ = 0;
};

}  // namespace systole::tests
