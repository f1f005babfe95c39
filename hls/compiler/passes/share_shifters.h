#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// One shifter for an arithmetic and a logical right shift of the same value by the same amount, of
/// which a condition chooses: the arithmetic one of a bit more, which is the sign bit only where
/// the condition holds. A shifter costs a choice of each bit for each bit of its amount; shifts by
/// a constant cost nothing and stay.
///
/// before  %a = ashr i8 %x, %n                     after  %top = and i1 %signed, (bit 7 of %x)
///         %l = lshr i8 %x, %n                            %s = trunc (ashr i9 {%top, %x}, %n) to i8
///         %y = select i1 %signed, i8 %a, i8 %l           (%s itself)
void share_shifters(llvm::Function& function);

}  // namespace systole::compiler
