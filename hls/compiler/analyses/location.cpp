#include "hls/compiler/analyses/location.h"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace systole::compiler {

using llvm::dyn_cast;

Location location_of(llvm::Value* pointer, const llvm::DataLayout& layout) {
  Location place{.base = pointer};
  for (;;) {
    if (auto* join = dyn_cast<llvm::PHINode>(place.base);
        join && join->getNumIncomingValues() == 1) {
      place.base = join->getIncomingValue(0);
      continue;
    }
    auto* step = dyn_cast<llvm::GEPOperator>(place.base);
    if (!step || !step->collectOffset(layout, Location::kBits, place.indices, place.bytes)) {
      return place;
    }
    place.base = step->getPointerOperand();
  }
}

}  // namespace systole::compiler
