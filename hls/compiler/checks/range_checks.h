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

/// Requirements that a value is below a limit, such as an index or an enum's value. Each is proved
/// where the program needs it, so that the conditions around it count; the hardware computes the
/// value whether or not they hold.
class RangeChecks {
 public:
  /// From here on `value`, read as unsigned, must be below `limit`.
  void require(llvm::IRBuilderBase& builder, llvm::Value* value, std::uint64_t limit,
               std::string message);

  /// Proves all requirements and removes their markers.
  ///
  /// Errors   Refusal with the message, at the requirement
  void settle(llvm::Function& function);

 private:
  struct Check {
    std::uint64_t limit = 0;
    std::string message;
  };
  /// Erases the checks that hold and returns the rest.
  std::vector<llvm::CallInst*> prove(llvm::Function& function) const;
  /// The same of these by constant propagation: where it has removed a guard that always holds,
  /// only it can tell why.
  std::vector<llvm::CallInst*> propagate(llvm::Function& function,
                                         const std::vector<llvm::CallInst*>& checks) const;
  const Check& check_of(const llvm::CallInst& marker) const;

  std::vector<Check> checks_;
};

}  // namespace systole::compiler
