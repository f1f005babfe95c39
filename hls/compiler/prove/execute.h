#pragma once

#include <string>
#include <utility>
#include <vector>

#include "hls/compiler/prove/circuit.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Something a run must never do, and when it would: a shift by the width, a signed overflow, an
/// index outside its array.
struct Undefined {
  Signal when = kFalse;
  std::string what;  ///< "file.h:12: an index outside its array"
};

/// A leaf of an argument or of the result: "scale", "pixel_red", "result". The elements of an array
/// lie side by side, as at its port.
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
  std::vector<Bits> memory;  ///< each parameter as it lies in memory, its padding zero
  std::vector<int> places;   ///< where in the result's memory each bit of all results lies
  std::vector<Undefined> undefined;

  /// All results side by side, the first one lowest.
  Bits result() const;
};

/// Runs Pipeline::evaluate, `void evaluate(Result&, const Arguments&...)`, as clang emits it,
/// before any pass, on gates instead of numbers.
///
/// Both sides of a branch run and their results are chosen between; a loop runs while its condition
/// is the constant true. Padding bits of the arguments and memory that was never set are inputs of
/// their own, so that what is proved does not depend on them.
///
/// Errors   Refusal for what has no meaning here: floating point, a loop with a variable bound
FunctionMeaning execute(const llvm::Function& function, Circuit& circuit);

}  // namespace systole::compiler
