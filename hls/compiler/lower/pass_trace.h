#pragma once

#include <set>
#include <stdexcept>
#include <string>

namespace llvm {
class Function;
}

namespace systole::compiler {

/// What `hlsc --print-after` and `--stop-after` ask for.
struct PassTrace {
  std::set<std::string> print_after;
  std::string stop_after;  ///< "" for none
};

/// What stopped the compiler where its user asked for it: the IR after that pass.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Sets what this process shows; like LLVM's own switches, once and before compiling.
///
/// Errors   Refusal for a name that is no pass
void trace_passes(const PassTrace& trace);

/// After the pass `name`: prints the function to standard error, or throws Stopped with it, where
/// the user asked for that.
void show_after(const std::string& name, const llvm::Function& function);

/// A function as IR without debug records, each instruction with the line of source it is from:
///
///   %sum = add i9 %a, %b                                       ; mac.h:25:7
std::string readable_ir(const llvm::Function& function);

}  // namespace systole::compiler
