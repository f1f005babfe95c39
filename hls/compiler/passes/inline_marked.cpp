#include "hls/compiler/passes/inline_marked.h"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include <algorithm>

#include "hls/compiler/analyses/edges.h"
#include "hls/compiler/passes/llvm_passes.h"

namespace systole::compiler {

void mark_for_inlining(llvm::Module& module, const std::vector<llvm::Function*>& roots) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // Keep a function that is inlined everywhere: it may be a pipeline's.
    function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    const bool keep =
        std::find(roots.begin(), roots.end(), &function) != roots.end() || stays_call(function);
    if (keep) {
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      function.addFnAttr(llvm::Attribute::NoInline);
    } else {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

void inline_marked(llvm::Module& module) {
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  LlvmPasses().run(passes, module);
}

}  // namespace systole::compiler
