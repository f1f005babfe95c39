#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hls/compiler/support/diagnostic.h"

namespace llvm {
class LLVMContext;
class Module;
class Function;
}  // namespace llvm

namespace systole::compiler {

/// What to compile: a kernel file and the C++ name of the top module.
struct Source {
  std::string file;  ///< a .cpp or .h that defines the top
  std::string top;   ///< a clocked module's type, a thread, or a pure function
  bool top_is_function = false;
  bool top_is_thread = false;  ///< compile() sets it if the top is not a type
  bool top_is_kernel = false;  ///< the top is a function over arrays
  std::vector<std::string> include_folders;
  std::string clang;  ///< the clang++ to run
  /// What clang has made of the top by its name alone, if that is a function over arrays; compile()
  /// sets it, so that clang reads the file once. Copies share it.
  std::shared_ptr<std::string> kernel_bitcode = std::make_shared<std::string>();
};

/// clang's LLVM IR before any optimisation, and the top's edge functions.
struct Program {
  std::unique_ptr<llvm::Module> module;
  std::string clock_function;  ///< mangled name of Top::clock
  std::string reset_function;  ///< mangled name of Top::reset, or ""
};

/// The kernel compiles, but lacks what --top names.
class NoSuchTop : public Refusal {
 public:
  using Refusal::Refusal;
};

/// Runs clang on the source.
///
/// Errors   NoSuchTop for a top that is neither a clocked module nor a function; Refusal with
///          clang's own messages for a file that does not compile
Program compile(const Source& source, llvm::LLVMContext& context);

/// The kernel with everything that it includes, as one file that hlsc reads on any machine.
///
/// Errors   Refusal for a file that cannot be preprocessed
std::string reproducer(const Source& source);

}  // namespace systole::compiler
