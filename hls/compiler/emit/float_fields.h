#pragma once

#include <map>
#include <set>
#include <string>

#include "hls/compiler/emit/reference.h"
#include "hls/compiler/emit/temporaries.h"
#include "hls/compiler/verilog/statement.h"

namespace llvm {
class Value;
}

namespace systole::compiler {

/// Fields of the floats that a pipeline's stage reads, as variables named like the source's calls.
///
///     Fp32::from_bits(old).is_nan()     {old_sign, old_exponent, old_fraction} = old;
///                                  ->   is_nan = (old_exponent == 8'd255) && (old_fraction != 0);
///
/// A float is a value of which the source calls a method of `Float<e, f>` (systole/hls/float.h).
///
/// Limits   fields that are read at several places; one that is read once stays a slice, and so
/// does
///          a sign alone
class FloatFields {
 public:
  /// Bits [high:low] of a value as a field, or part of one; none where they are no field's.
  sv::Expression field(const llvm::Value& value, const Reference& signal, unsigned high,
                       unsigned low) const;
  /// Which fields the statements, printed with this, read so often that they get variables when the
  /// stage is printed again.
  FloatFields worth_a_variable(const sv::Statements& stage) const;
  /// Splits the value where it is a float of which fields are variables. `is_loop`: the variables
  /// are declared at the top of the process.
  void split(const llvm::Value& value, const Reference& signal, bool is_loop,
             Temporaries& temporaries, sv::Statements& out);

 private:
  enum Field : unsigned { kFraction, kExponent, kSign };

  bool is_trial_ = true;  ///< every field gets a name, so that its uses can be counted
  std::map<const llvm::Value*, std::set<unsigned>> wanted_;
  std::map<const llvm::Value*, std::map<unsigned, std::string>> floats_;
};

}  // namespace systole::compiler
