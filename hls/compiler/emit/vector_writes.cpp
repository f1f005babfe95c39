#include "hls/compiler/emit/vector_writes.h"

#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

/// Elements 0 .. n-1 as one expression of the whole vector, or none: vectors' elements in order, or
/// the same select or bitwise operation of such.
sv::Expression whole_vector(const std::vector<const llvm::Value*>& values,
                            const ExpressionPrinter& printer) {
  const llvm::Value* first = values[0];
  const unsigned width = width_of(*first);
  Reference reference;
  if (printer.find(*first, reference)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Reference one;
      if (!printer.find(*values[i], one) || one.base != reference.base || one.offset != i * width ||
          one.width != width || one.base_width != values.size() * width) {
        return {};
      }
    }
    return reference.base;
  }
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(first);
  if (!select) return {};
  std::vector<const llvm::Value*> left;
  std::vector<const llvm::Value*> right;
  for (const llvm::Value* value : values) {
    const auto* one = llvm::dyn_cast<llvm::SelectInst>(value);
    Reference known;
    if (!one || printer.find(*value, known) || one->getCondition() != select->getCondition()) {
      return {};
    }
    left.push_back(one->getTrueValue());
    right.push_back(one->getFalseValue());
  }
  const sv::Expression a = whole_vector(left, printer);
  const sv::Expression b = whole_vector(right, printer);
  if (a.empty() || b.empty()) return {};
  return sv::choice(printer.operand(*select->getCondition()), sv::grouped(a), sv::grouped(b));
}

}  // namespace

std::vector<VectorWrite> write_vector(const sv::Expression& target, unsigned width,
                                      std::int64_t elements,
                                      const std::vector<ElementWrite>& writes,
                                      const ExpressionPrinter& printer) {
  std::vector<ElementWrite> sorted = writes;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.element < b.element; });
  if (elements > 1 && static_cast<std::int64_t>(sorted.size()) == elements) {
    std::vector<const llvm::Value*> values;
    for (const ElementWrite& write : sorted) values.push_back(write.value);
    const sv::Expression whole = whole_vector(values, printer);
    if (!whole.empty()) return {{target, whole}};
  }
  std::vector<VectorWrite> written;
  const unsigned all = static_cast<unsigned>(width * elements);
  for (const ElementWrite& write : sorted) {
    const Reference place{target, static_cast<unsigned>(write.element) * width, width, all};
    written.push_back({expression_of(place), printer.assigned(*write.value, write.leaf)});
  }
  return written;
}

}  // namespace systole::compiler
