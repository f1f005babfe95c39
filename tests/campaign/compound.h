#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/campaign/random_type.h"

namespace systole::tests {

/// The type of an argument, a result, a port or a beat: an integer or bool, an enum, a struct, a
/// Vec or a C array.
struct Compound {
  enum Kind { kValue, kEnum, kStruct, kVec, kArray };
  Kind kind = kValue;
  ValueType value;        ///< kValue: itself; kEnum: the integer of as many bits
  std::string name = {};  ///< of an enum or a struct
  std::vector<std::string> enumerators = {};
  std::vector<std::pair<std::string, Compound>> members = {};  ///< kVec, kArray: one, the element
  int size = 0;                                                ///< kVec, kArray

  Compound() = default;
  Compound(const ValueType& type) : value(type) {}

  /// "UInt<5>", "Vec<UInt<5>, 3>"; of an array the element's.
  std::string text() const;
  /// "UInt<5> name", "UInt<5> name[3]".
  std::string declared(const std::string& variable) const;
  /// As a parameter: by reference.
  std::string parameter(const std::string& variable) const;
  const Compound& element() const { return members.front().second; }
  bool operator==(const Compound& other) const { return declared("") == other.declared(""); }
};

/// A random type, of which a part may be a struct, Vec or enum in its turn. What it needs is
/// defined in `definitions`; names start with `name`.
Compound random_compound(Random& random, const std::string& name, std::string& definitions,
                         bool may_be_array = false, bool may_nest = true);

}  // namespace systole::tests
