#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/tables.h"
#include "hls/compiler/ir/picks.h"

namespace systole::compiler {

/// The signal that holds exactly the elements, the first one lowest; "" if there is none.
std::string ExpressionPrinter::whole_signal(const llvm::CallInst& pick) const {
  Reference first;
  const unsigned width = width_of(pick);
  const unsigned count = pick.arg_size() - 1;
  if (!find(*pick.getArgOperand(1), first) || first.base_width != count * width) return "";
  for (unsigned i = 0; i < count; ++i) {
    Reference one;
    if (!find(*pick.getArgOperand(i + 1), one) || one.base != first.base || one.width != width ||
        one.offset != i * width) {
      return "";
    }
  }
  return first.base;
}

/// The index times the elements' width, as wide as a bit's position needs.
std::string ExpressionPrinter::bit_index(const llvm::CallInst& pick) const {
  const unsigned width = width_of(pick);
  const unsigned count = pick.arg_size() - 1;
  const unsigned bits = std::max(1u, llvm::Log2_32_Ceil(count));
  const llvm::Value& index = narrowest_here(*pick.getArgOperand(0));
  const unsigned has = width_of(index);
  std::string text = has > bits ? slice(index, bits - 1, 0) : operand(index);
  if (has < bits) text = join_concatenation({zeros(bits - has), text});
  if (width == 1) return text;
  if (llvm::isPowerOf2_32(width)) return join_concatenation({text, zeros(llvm::Log2_32(width))});
  const unsigned places = llvm::Log2_32_Ceil(count * width);
  return fmt::format("{} * {}'d{}", join_concatenation({zeros(places - bits), text}), places,
                     width);
}

std::string ExpressionPrinter::pick(const llvm::CallInst& pick) const {
  const std::string base = is_look_up(pick) ? tables_->name_of(pick) : whole_signal(pick);
  const unsigned width = width_of(pick);
  const std::string place = bit_index(pick);
  if (!base.empty()) {
    return width == 1 ? fmt::format("{}[{}]", base, place)
                      : fmt::format("{}[{} +: {}]", base, place, width);
  }
  std::vector<std::string> parts;
  for (unsigned i = pick.arg_size() - 1; i > 0; --i)
    parts.push_back(operand(*pick.getArgOperand(i)));
  return fmt::format("{}'({} >> {})", width, join_concatenation(parts),
                     is_closed(place) ? place : "(" + place + ")");
}

}  // namespace systole::compiler
