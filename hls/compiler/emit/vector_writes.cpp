#include "hls/compiler/emit/vector_writes.h"

#include <fmt/format.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"

namespace systole::compiler {
namespace {

/// Elements 0 .. n-1 as one expression of the whole vector, or "": vectors' elements in order, or
/// the same select or bitwise operation of such.
std::string whole_vector(const std::vector<const llvm::Value*>& values,
                         const ExpressionPrinter& printer) {
  const llvm::Value* first = values[0];
  const unsigned width = width_of(*first);
  Reference reference;
  if (printer.find(*first, reference)) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      Reference one;
      if (!printer.find(*values[i], one) || one.base != reference.base || one.offset != i * width ||
          one.width != width || one.base_width != values.size() * width) {
        return "";
      }
    }
    return reference.base;
  }
  const auto* select = llvm::dyn_cast<llvm::SelectInst>(first);
  if (!select) return "";
  std::vector<const llvm::Value*> left;
  std::vector<const llvm::Value*> right;
  for (const llvm::Value* value : values) {
    const auto* one = llvm::dyn_cast<llvm::SelectInst>(value);
    Reference known;
    if (!one || printer.find(*value, known) || one->getCondition() != select->getCondition()) {
      return "";
    }
    left.push_back(one->getTrueValue());
    right.push_back(one->getFalseValue());
  }
  const std::string a = whole_vector(left, printer);
  const std::string b = whole_vector(right, printer);
  if (a.empty() || b.empty()) return "";
  const auto closed = [](const std::string& text) {
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  return fmt::format("{} ? {} : {}", printer.operand(*select->getCondition()), closed(a),
                     closed(b));
}

}  // namespace

std::vector<std::string> write_vector(const std::string& target, const char* assign, unsigned width,
                                      std::int64_t elements,
                                      const std::vector<ElementWrite>& writes,
                                      const ExpressionPrinter& printer) {
  std::vector<ElementWrite> sorted = writes;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.element < b.element; });
  if (elements > 1 && static_cast<std::int64_t>(sorted.size()) == elements) {
    std::vector<const llvm::Value*> values;
    for (const ElementWrite& write : sorted) values.push_back(write.value);
    const std::string whole = whole_vector(values, printer);
    if (!whole.empty()) return {fmt::format("{} {} {};", target, assign, whole)};
  }
  std::vector<std::string> lines;
  const unsigned all = static_cast<unsigned>(width * elements);
  for (const ElementWrite& write : sorted) {
    const Reference place{target, static_cast<unsigned>(write.element) * width, width, all};
    lines.push_back(fmt::format("{} {} {};", to_text(place), assign,
                                printer.assigned(*write.value, write.leaf)));
  }
  return lines;
}

}  // namespace systole::compiler
