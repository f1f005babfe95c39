#include "hls/compiler/checks/calls.h"

#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <string>

#include "hls/compiler/analyses/edges.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// The library's function that the user's code calls here, such as "std::sort"; "" if it is the
/// user's own.
std::string called_of_library(const llvm::CallInst& call) {
  std::string name;
  for (const llvm::DILocation* at = call.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    const llvm::DISubprogram* function = at->getScope()->getSubprogram();
    if (!is_library(function->getFilename())) break;
    name = fmt::format("std::{}", function->getName().split('<').first.str());
  }
  return name;
}

}  // namespace

void check_calls(const llvm::Function& root) {
  for (const llvm::Instruction& instruction : llvm::instructions(root)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call) || is_any_operation(*call)) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) {
      refuse(*call,
             "a call through a pointer or a virtual function has no hardware; call the "
             "function by its name");
    }
    if (stays_call(*callee)) continue;
    if (callee->isDeclaration()) {
      const llvm::StringRef name = callee->getName();
      if (name == "memcpy" || name == "memmove" || name == "memset") {
        refuse(*call, "this copies raw memory; assign the members");
      }
      if (name.contains("operator new") || name == "_Znwm" || name == "malloc") {
        refuse(*call, "hardware cannot allocate memory; make it an array of registers or a Ram");
      }
      refuse(*call, fmt::format("'{}' has no body here, so it cannot become hardware; define it in "
                                "a header, or remove the call",
                                llvm::demangle(callee->getName())));
    }
    const std::string library = called_of_library(*call);
    refuse(*call, library.empty()
                      ? "recursion has no hardware; write a loop with a constant bound"
                      : fmt::format("{} calls itself inside, and recursion has no hardware; write "
                                    "loops with constant bounds instead of it",
                                    library));
  }
}

void refuse_clock_in_itself(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  bool inside = callee == call.getFunction();
  for (const llvm::DILocation* at = call.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    inside = inside || (callee->getSubprogram() &&
                        at->getScope()->getSubprogram() == callee->getSubprogram());
  }
  if (inside) refuse(call, "clock() calls itself; one call is one edge of the clock");
}

}  // namespace systole::compiler
