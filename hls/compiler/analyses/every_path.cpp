#include "hls/compiler/analyses/every_path.h"

#include <llvm/ADT/DepthFirstIterator.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Instructions.h>

namespace systole::compiler {

bool every_path_passes(const llvm::BasicBlock& block, const llvm::BasicBlock& from) {
  if (&block == &from) return true;
  llvm::df_iterator_default_set<const llvm::BasicBlock*> seen;
  seen.insert(&block);
  return llvm::none_of(llvm::depth_first_ext(&from, seen), [](const llvm::BasicBlock* passed) {
    return llvm::isa<llvm::ReturnInst>(passed->getTerminator());
  });
}

}  // namespace systole::compiler
