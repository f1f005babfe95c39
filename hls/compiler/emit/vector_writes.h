#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"

namespace systole::compiler {

/// What an element of a vector takes.
struct ElementWrite {
  std::int64_t element = 0;
  const llvm::Value* value = nullptr;
  const Leaf* leaf = nullptr;  ///< what takes it
};

/// One statement `name[hi:lo] <= value;` for each element, or one for all where the elements are
/// alike: the same elements of a vector in order, or the same choice of such.
///
/// `assign` is "<=" or "="; `width` is an element's, in bits.
std::vector<std::string> write_vector(const std::string& target, const char* assign, unsigned width,
                                      std::int64_t elements,
                                      const std::vector<ElementWrite>& writes,
                                      const ExpressionPrinter& printer);

}  // namespace systole::compiler
