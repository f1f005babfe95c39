#pragma once

#include <string>
#include <vector>

#include "tests/campaign/compound.h"

namespace systole::tests {

/// A value that an expression may name.
struct Variable {
  std::string text;
  ValueType type;
};

/// A function that an expression may call.
struct Callable {
  std::string name;
  std::vector<Compound> arguments;
  Compound result;
};

/// A whole struct, Vec, array or enum that an expression may copy.
struct Whole {
  std::string text;
  Compound type;
};

/// An array that an expression may index.
struct Array {
  std::string name;
  ValueType type;
  int size = 0;
  bool any_index = false;  ///< by a value too, not only by constants and loop counters
  bool writable = true;
  std::string member = {};  ///< ".first" where the elements are structs and this is one field
  bool is_plain = true;     ///< no element is an ap_int or ac_int, which holds its integer

  std::string at(const std::string& place) const {
    return value(fmt::format("{}[{}]{}", name, place, member));
  }
  /// The integer in one of its elements.
  std::string value(const std::string& element) const {
    return is_plain ? element : fmt::format("plain({})", element);
  }
};

/// A loop counter that runs over 0 .. count - 1.
struct Counter {
  std::string name;
  int count = 0;
};

/// What is visible at one place of a kernel.
struct Scope {
  std::vector<Variable> readable;
  std::vector<Variable> writable;  ///< also in readable
  std::vector<Array> arrays;
  std::vector<Callable> functions;
  std::vector<Counter> counters;
  std::vector<Whole> wholes;
  std::vector<Compound> types;  ///< of locals

  /// Those that hold elements, not one field of them.
  std::vector<const Array*> whole_element_arrays() const;
  /// Those that are no bool.
  std::vector<const Variable*> writable_numbers() const;

  /// Makes a value visible: itself, and all that it consists of.
  void add(const std::string& text, const Compound& type, bool writable = false);
};

/// Writes random expressions of a wanted type: every operator of hls/include/systole/hls/int.h.
///
/// Limits   depth bounds the tree; widths stay within 260 bits
class Expressions {
 public:
  explicit Expressions(Random& random) : random_(random) {}

  std::string of(const ValueType& type, const Scope& scope, int depth);
  /// A value of any type; of an array its initialiser in braces.
  std::string of(const Compound& type, const Scope& scope, int depth);
  std::string literal(const ValueType& type);
  /// An element of an array in scope, by a constant, a counter or a value.
  Variable element(const Array& array, const Scope& scope);
  /// The same to be read only: a value that may be beyond the array is guarded.
  Variable read_element(const Array& array, const Scope& scope);
  /// An unsigned value in scope of at least so many bits; "" where there is none.
  std::string index(const Scope& scope, int bits, int& width);

 private:
  Variable any_value(const ValueType& type, const Scope& scope);
  std::string leaf(const ValueType& type, const Scope& scope);
  std::string condition(const Scope& scope, int depth);
  std::string unsigned_value(const ValueType& type, const Scope& scope, int depth);
  std::string signed_value(const ValueType& type, const Scope& scope, int depth);
  std::string arithmetic(const ValueType& type, const Scope& scope, int depth);
  std::string call(const ValueType& type, const Scope& scope, int depth);
  std::string with_constant(const ValueType& type, const Scope& scope, int depth);
  ValueType operand(bool is_signed, int widest);
  bool one_in(std::uint32_t count) { return random_.below(count) == 0; }

  Random& random_;
};

}  // namespace systole::tests
