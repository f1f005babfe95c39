#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/tables.h"
#include "hls/compiler/ir/picks.h"

namespace systole::compiler {

/// The signal that holds exactly the elements, the first one lowest; none if there is no such
/// signal.
sv::Expression ExpressionBuilder::whole_signal(const llvm::CallInst& pick) const {
  Reference first;
  const unsigned width = width_of(pick);
  const unsigned count = pick.arg_size() - 1;
  if (!find(*pick.getArgOperand(1), first) || first.base_width != count * width) return {};
  for (unsigned i = 0; i < count; ++i) {
    Reference one;
    if (!find(*pick.getArgOperand(i + 1), one) || one.base != first.base || one.width != width ||
        one.offset != i * width) {
      return {};
    }
  }
  return first.base;
}

/// The index times the elements' width, as wide as a bit's position needs.
sv::Expression ExpressionBuilder::bit_index(const llvm::CallInst& pick) const {
  const unsigned width = width_of(pick);
  const unsigned count = pick.arg_size() - 1;
  const unsigned bits = std::max(1u, llvm::Log2_32_Ceil(count));
  const llvm::Value& index = narrowest_here(*pick.getArgOperand(0));
  const unsigned has = width_of(index);
  sv::Expression place = has > bits ? slice(index, bits - 1, 0) : operand(index);
  if (has < bits) place = sv::concatenation({sv::zeros(bits - has), place});
  if (width == 1) return place;
  if (llvm::isPowerOf2_32(width))
    return sv::concatenation({place, sv::zeros(llvm::Log2_32(width))});
  const unsigned places = llvm::Log2_32_Ceil(count * width);
  return sv::binary(sv::concatenation({sv::zeros(places - bits), place}), "*",
                    sv::literal_of(llvm::APInt(places, width)));
}

sv::Expression ExpressionBuilder::pick(const llvm::CallInst& pick) const {
  const sv::Expression base =
      is_look_up(pick) ? sv::Expression(tables_->name_of(pick)) : whole_signal(pick);
  const unsigned width = width_of(pick);
  const sv::Expression place = bit_index(pick);
  if (!base.empty()) return width == 1 ? sv::element(base, place) : sv::part(base, place, width);
  std::vector<sv::Expression> parts;
  for (unsigned i = pick.arg_size() - 1; i > 0; --i)
    parts.push_back(operand(*pick.getArgOperand(i)));
  return sv::cast(width, sv::binary(sv::concatenation(parts), ">>", place));
}

}  // namespace systole::compiler
