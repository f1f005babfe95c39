#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/prove/circuit.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Undefined behaviour and its condition: a shift by the width, a signed overflow, an index outside
/// its array.
struct Undefined {
  Signal when = kFalse;
  std::string what;  ///< "file.h:12: an index outside its array"
};

/// A leaf of an argument or of the result: "scale", "pixel_red", "result". An array's elements are
/// side by side, as at its port.
struct Value {
  std::string name;
  Bits bits;
  bool operator==(const Value&) const = default;
};

/// What a pure function computes.
struct FunctionMeaning {
  std::string name;
  std::vector<Value> arguments;
  std::vector<Value> results;
  std::vector<Bits> memory;  ///< each parameter's memory, with zero padding
  std::vector<int> places;   ///< the place of each result bit in the result's memory
  std::vector<Undefined> undefined;

  /// All results side by side, the first one lowest.
  Bits result() const;
};

/// Executes Pipeline::evaluate, `void evaluate(Result&, const Arguments&...)`, from clang's IR
/// before any pass, on gates instead of numbers.
///
/// Both sides of a branch run, and their results are selected between; a loop runs while its
/// condition is the constant true. Padding bits of the arguments and memory never set are inputs of
/// their own, so the proof does not depend on them.
///
/// Errors   Refusal for constructs without meaning here: floating point, loops with variable bounds
FunctionMeaning execute(const llvm::Function& function, Circuit& circuit);

}  // namespace systole::compiler
