#pragma once

#include <set>
#include <stdexcept>
#include <string>

namespace llvm {
class Function;
}

namespace systole::compiler {

/// The requests of `hlsc --print-after` and `--stop-after`.
struct PassTrace {
  std::set<std::string> print_after;
  std::string stop_after;  ///< "" for none
};

/// Thrown to stop the compiler after the requested pass, with the IR.
class Stopped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Sets what this process prints; like LLVM's switches, once and before compiling.
///
/// Errors   Refusal for an unknown pass
void trace_passes(const PassTrace& trace);

/// Whether anything is printed.
bool traces_passes();

/// After the pass `name`: prints the function to standard error or throws Stopped, if requested.
void show_after(const std::string& name, const llvm::Function& function);

/// "Counter::clock", which identifies the function in a trace of several modules.
std::string title_of(const llvm::Function& function);

/// A function as IR without debug records, each instruction with its source line:
///
///   %sum = add i9 %a, %b                                       ; mac.h:25:7
std::string readable_ir(const llvm::Function& function);

}  // namespace systole::compiler
