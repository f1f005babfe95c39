#include "hls/compiler/passes/forward_parts.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace systole::compiler {
namespace {

namespace pattern = llvm::PatternMatch;

unsigned width_of(const llvm::Value& value) { return value.getType()->getScalarSizeInBits(); }

/// Whether these bits are zero because of how the whole was put together.
bool is_left_out(llvm::Value& whole, unsigned low, unsigned bits) {
  llvm::Value* first = nullptr;
  llvm::Value* second = nullptr;
  std::uint64_t up = 0;
  if (pattern::match(&whole, pattern::m_ZExt(pattern::m_Value(first)))) {
    const unsigned inner = width_of(*first);
    return low >= inner || (low + bits <= inner && is_left_out(*first, low, bits));
  }
  if (pattern::match(&whole, pattern::m_Shl(pattern::m_Value(first), pattern::m_ConstantInt(up)))) {
    return low + bits <= up ||
           (low >= up && is_left_out(*first, low - static_cast<unsigned>(up), bits));
  }
  return pattern::match(&whole, pattern::m_Or(pattern::m_Value(first), pattern::m_Value(second))) &&
         is_left_out(*first, low, bits) && is_left_out(*second, low, bits);
}

/// The value that is these bits of the whole, or null.
llvm::Value* part_of(llvm::Value& whole, unsigned low, unsigned bits) {
  if (low == 0 && width_of(whole) == bits) return &whole;
  llvm::Value* first = nullptr;
  llvm::Value* second = nullptr;
  std::uint64_t up = 0;
  if (pattern::match(&whole, pattern::m_ZExt(pattern::m_Value(first)))) {
    return low + bits <= width_of(*first) ? part_of(*first, low, bits) : nullptr;
  }
  if (pattern::match(&whole, pattern::m_Shl(pattern::m_Value(first), pattern::m_ConstantInt(up)))) {
    return low >= up ? part_of(*first, low - static_cast<unsigned>(up), bits) : nullptr;
  }
  if (pattern::match(&whole, pattern::m_Or(pattern::m_Value(first), pattern::m_Value(second)))) {
    if (is_left_out(*second, low, bits)) return part_of(*first, low, bits);
    if (is_left_out(*first, low, bits)) return part_of(*second, low, bits);
  }
  return nullptr;
}

}  // namespace

void forward_parts(llvm::Function& function) {
  for (llvm::Instruction& one : llvm::make_early_inc_range(llvm::instructions(function))) {
    llvm::Value* whole = nullptr;
    std::uint64_t low = 0;
    if (!pattern::match(&one, pattern::m_Trunc(pattern::m_Value(whole)))) continue;
    llvm::Value* moved = nullptr;
    if (pattern::match(whole,
                       pattern::m_LShr(pattern::m_Value(moved), pattern::m_ConstantInt(low)))) {
      whole = moved;
    }
    llvm::Value* part = part_of(*whole, static_cast<unsigned>(low), width_of(one));
    if (part) one.replaceAllUsesWith(part);
  }
}

}  // namespace systole::compiler
