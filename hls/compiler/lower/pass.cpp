#include "hls/compiler/lower/pass.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/lower/pass_trace.h"
#include "hls/compiler/support/progress.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// "file.h:12" of the user's function, without a look at the file; "" where only the library's is
/// known.
std::string place_of(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const llvm::DICompositeType* type = subprogram ? class_of(subprogram) : nullptr;
  const llvm::Function* wrapped =
      type ? function.getParent()->getFunction(template_function(type)) : nullptr;
  if (wrapped && wrapped->getSubprogram()) subprogram = wrapped->getSubprogram();
  if (!subprogram || is_library(subprogram->getFilename())) return "";
  return fmt::format("{}:{}", path_of(subprogram->getDirectory(), subprogram->getFilename()),
                     subprogram->getLine());
}

/// The pass's own fault, as opposed to the kernel's.
void verify(const Pass& pass, const llvm::Function& function, Facts facts, bool whole) {
  std::string fault;
  llvm::raw_string_ostream stream(fault);
  if (!whole || !llvm::verifyFunction(function, &stream)) {
    fault = broken_fact(function, facts);
    if (fault.empty()) return;
  }
  throw std::logic_error(
      fmt::format("after the pass {}, {} breaks: {}", pass.name, function.getName().str(), fault));
}

}  // namespace

const Pass& pass_named(const std::string& name) {
  const auto found = std::find_if(passes().begin(), passes().end(),
                                  [&](const Pass& pass) { return pass.name == name; });
  if (found == passes().end()) throw std::invalid_argument("no pass is called " + name);
  return *found;
}

void run_passes(const std::string& names, Unit& unit) {
  std::istringstream stream(names);
  std::string next;
  stream >> next;
  while (!next.empty()) {
    const std::string name = std::exchange(next, "");
    stream >> next;
    const Pass& pass = pass_named(name);
    if (!unit.functions.empty()) {
      const llvm::Function& first = *unit.functions[0];
      enter_phase(name, title_of(first), place_of(first));
    }
    pass.run(unit);
    unit.facts = unit.facts.without(pass.breaks).with(pass.gives);
    for (const llvm::Function* function : unit.functions) {
      show_after(name, *function);
      // LLVM's verifier reads all debug information for each function: a quarter of hlsc's time if
      // it runs after every pass.
      verify(pass, *function, unit.facts, next.empty() || traces_passes());
    }
    if (pass.check) pass.check(unit);
  }
}

}  // namespace systole::compiler
