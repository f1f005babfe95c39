#include "hls/compiler/passes/inline_marked.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/InlineCost.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <utility>
#include <vector>

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

namespace {

/// Whether the function's body is used: others are inlined into all that call them.
bool is_kept(const llvm::Function& function) {
  return !function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.isPresplitCoroutine();
}

/// A call, and the inlined calls that it was in, innermost last, as a chain of places.
struct Site {
  llvm::CallBase* call;
  int within;
};

class Inliner {
 public:
  /// Inlines whole bodies from the outermost call on: what is called is copied as it was written,
  /// and so only once for each place where it comes to stand.
  void run(llvm::Function& caller) {
    std::vector<Site> sites;
    std::vector<std::pair<llvm::Function*, int>> chain;
    for (llvm::Instruction& instruction : llvm::instructions(caller)) add(sites, instruction, -1);
    for (std::size_t i = 0; i < sites.size(); ++i) {
      const auto [call, within] = sites[i];
      llvm::Function* callee = call->getCalledFunction();
      bool is_recursive = false;  // calls.cpp refuses it
      for (int at = within; at >= 0; at = chain[at].second)
        is_recursive |= chain[at].first == callee;
      if (is_recursive || !llvm::isInlineViable(*callee).isSuccess()) continue;
      llvm::InlineFunctionInfo made;
      auto& aliases = passes_.analysis<llvm::AAManager>(*callee);
      if (!llvm::InlineFunction(*call, made, /*MergeAttributes=*/true, &aliases, false).isSuccess())
        continue;
      chain.emplace_back(callee, within);
      for (llvm::CallBase* inner : made.InlinedCallSites)
        add(sites, *inner, static_cast<int>(chain.size()) - 1);
    }
  }

 private:
  static void add(std::vector<Site>& sites, llvm::Instruction& instruction, int within) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && !is_kept(*callee)) sites.push_back({call, within});
  }

  LlvmPasses passes_;
};

}  // namespace

void inline_marked(llvm::Module& module) {
  Inliner inliner;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && is_kept(function)) inliner.run(function);
  }
}

}  // namespace systole::compiler
