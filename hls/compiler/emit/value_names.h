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

/// The name of what an operation reads or the register it writes; "" for neither.
using OperationName = std::function<std::string(const llvm::CallInst&)>;

/// The enumerator with these bits if a value is of an enum ("TargetLoad"), else "".
using EnumeratorName = std::function<std::string(const llvm::Value&, const llvm::APInt&)>;

/// Names the values of a function: by the user's variable; for a temporary by its consumer's name
/// and a role ("magnitude_sum"), or by its meaning ("target_is_load", "not_busy"). If that is
/// taken, by its purpose or owner: "big_exponent" for the `exponent` in `big = unpack(..)`.
std::map<const llvm::Value*, NameChoices> value_names(llvm::Function& function,
                                                      const OperationName& operation_name = {},
                                                      const EnumeratorName& enumerator = {},
                                                      const OperationName& register_name = {});

}  // namespace systole::compiler
