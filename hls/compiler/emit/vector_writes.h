#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"

namespace systole::compiler {

/// A write of a vector's element.
struct ElementWrite {
  std::int64_t element = 0;
  const llvm::Value* value = nullptr;
  const Leaf* leaf = nullptr;             ///< what takes it
  const llvm::Instruction* by = nullptr;  ///< the operation that writes it
};

/// What is written to a signal, or to a part of it.
struct VectorWrite {
  sv::Expression target;
  sv::Expression value;
};

/// A write of `name[hi:lo]` for each element, neighbours as one where their values are joined as in
/// a concatenation. `width` is an element's, in bits.
std::vector<VectorWrite> write_vector(const sv::Expression& target, unsigned width,
                                      std::int64_t elements,
                                      const std::vector<ElementWrite>& writes,
                                      const ExpressionBuilder& printer);

}  // namespace systole::compiler
