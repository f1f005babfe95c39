#include "hls/compiler/support/rounds.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>

#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

void Rounds::next() {
  if (left_-- > 0) return;
  const llvm::DISubprogram* subprogram = function_.getSubprogram();
  throw Refusal(fmt::format(
      "{}{}the pass {} has not ended after {} rounds on {}; this is a fault of hlsc's: please "
      "report it with the file that --emit-reproducer FILE writes",
      subprogram ? source_position(*subprogram) : "", subprogram ? ": " : "", pass_, most_,
      subprogram ? subprogram->getName().str() : function_.getName().str()));
}

}  // namespace systole::compiler
