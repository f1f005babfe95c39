#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Adds the terms of a sum that have the same constant factor before it multiplies them: a filter
/// whose coefficients are symmetric needs half the multipliers. The added terms keep the few bits
/// that they have.
///
/// before  %a = mul i27 (sext i12 %x to i27), 1433    after  %1 = add i13 (sext i12 %x to i13), ..
///         %b = mul i27 (sext i12 %y to i27), 1433           %2 = mul i27 (sext i13 %1 to i27),
///         1433 %s = add i27 %a, %t                               %s = add i27 %2, %t %r = add i27
///         %s, %b                               (%s itself)
void factor_products(llvm::Function& function);

}  // namespace systole::compiler
