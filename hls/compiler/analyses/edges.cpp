#include "hls/compiler/analyses/edges.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

bool is_edge(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const llvm::DICompositeType* type = class_of(subprogram);
  if (!type) return false;
  const llvm::StringRef name = subprogram->getName();
  return name == "clock" || (name == "outputs" && has_outputs_method(type)) ||
         (name == "reset" && !method_of(type, "clock").empty());
}

bool is_pipeline_clock(const llvm::Function& function) {
  return is_method(function.getSubprogram(), "Pipeline", "clock");
}

bool stays_call(const llvm::Function& function) {
  return is_edge(function) || is_method(function.getSubprogram(), "Pipeline", "output_to") ||
         is_method(function.getSubprogram(), "Pipeline", "clock_where");
}

}  // namespace systole::compiler
