#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>

#include "hls/compiler/support/diagnostic.h"

namespace systole::tests {

/// A module of textual IR to run one pass on. The operations of operations.h are declared.
class Ir {
 public:
  /// Errors   std::invalid_argument for text that is no IR
  explicit Ir(const std::string& text);

  llvm::Module& module() { return *module_; }
  llvm::Function& function(const std::string& name = "f");

  /// The function's body, one instruction or label a line, without indentation.
  std::string body(const std::string& name = "f");

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

/// What a pass refuses the IR with; "" where it does not.
template <typename Pass>
std::string refusal_of(const std::string& text, Pass pass) {
  Ir ir(text);
  try {
    pass(ir.function());
  } catch (const compiler::Refusal& refusal) {
    return refusal.what();
  }
  return "";
}

}  // namespace systole::tests
