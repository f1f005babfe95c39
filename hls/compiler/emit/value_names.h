#pragma once

#include <functional>
#include <map>
#include <string>

#include "hls/compiler/emit/names.h"

namespace llvm {
class APInt;
class CallInst;
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// What an operation reads, or which register it writes; "" for nothing.
using OperationName = std::function<std::string(const llvm::CallInst&)>;

/// The enumerator with these bits where a value is of an enum ("TargetLoad"), else "".
using EnumeratorName = std::function<std::string(const llvm::Value&, const llvm::APInt&)>;

/// What to call each value of a function: the user's variable; for a temporary its consumer's name
/// and a role ("magnitude_sum"), or what it is ("target_is_load", "not_busy"). Where that is taken,
/// what it is computed for, or whose local it is: "big_exponent" where `big = unpack(..)` brought
/// an `exponent`.
std::map<const llvm::Value*, NameChoices> value_names(llvm::Function& function,
                                                      const OperationName& operation_name = {},
                                                      const EnumeratorName& enumerator = {},
                                                      const OperationName& register_name = {});

}  // namespace systole::compiler
