#include "hls/compiler/emit/vector_writes.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {

/// Adds a write to those below it: joined with the last where parts of one signal go to
/// neighbouring places.
static void add(std::vector<VectorWrite>& all, const VectorWrite& one) {
  if (!all.empty()) {
    VectorWrite& below = all.back();
    const VectorWrite both{joined(one.target, below.target), joined(one.value, below.value)};
    if (!both.target.empty() && !both.value.empty()) {
      below = both;
      return;
    }
  }
  all.push_back(one);
}

std::vector<VectorWrite> write_vector(const sv::Expression& target, unsigned width,
                                      std::int64_t elements,
                                      const std::vector<ElementWrite>& writes,
                                      const ExpressionBuilder& printer) {
  std::vector<ElementWrite> sorted = writes;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.element < b.element; });
  std::vector<VectorWrite> written;
  const unsigned all = static_cast<unsigned>(width * elements);
  for (const ElementWrite& write : sorted) {
    const Reference place{.base = target,
                          .offset = static_cast<unsigned>(write.element) * width,
                          .width = width,
                          .base_width = all,
                          .unit = unit_of(width, elements)};
    const ExpressionBuilder::Use here = printer.at(write.by);
    add(written, {expression_of(place), printer.operand(*write.value, write.leaf)});
  }
  return written;
}

}  // namespace systole::compiler
