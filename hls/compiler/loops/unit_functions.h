#pragma once

#include "hls/compiler/ir/lowered_kernel.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/schedule/delay_model.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace systole::compiler {

/// A division as one block, a bit of the quotient after the other, with the parts of its result
/// that the kernel reads. The remainder so far is never above the dividend's bits so far, nor twice
/// the divisor.
LoweredFunction division_function(llvm::Module& into, const KernelUnit& unit);

/// A product as one block: the sum of products of parts that fit one multiplier of the target.
///
/// before  mul i60 (sext i30 %a), (sext i30 %b)   after  %low * %low + (%low * %high << 17) + ...
LoweredFunction product_function(llvm::Module& into, const KernelUnit& unit,
                                 const DelayModel& model);

}  // namespace systole::compiler
