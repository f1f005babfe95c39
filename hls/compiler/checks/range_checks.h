#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace llvm {
class CallInst;
class Function;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// What must be below a limit wherever the program gets there: an index, the value of an enum. Each
/// is proved at the place where the program needs it, so that the conditions around it count; the
/// hardware computes the value whether or not they hold.
class RangeChecks {
 public:
  /// From here on `value`, read as unsigned, must be below `limit`.
  void require(llvm::IRBuilderBase& builder, llvm::Value* value, std::uint64_t limit,
               std::string message);

  /// Proves what was required and removes its traces.
  ///
  /// Errors   Refusal with the message, at the place of the requirement
  void settle(llvm::Function& function);

 private:
  struct Check {
    std::uint64_t limit = 0;
    std::string message;
  };
  /// Erases the checks that hold; the ones that are left.
  std::vector<llvm::CallInst*> prove(llvm::Function& function) const;

  std::vector<Check> checks_;
};

}  // namespace systole::compiler
