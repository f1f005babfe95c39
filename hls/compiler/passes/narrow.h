#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Computes only the bits that are used. The last pass, since LLVM's canonical form is wider.
///
/// before  %s = select i1 %c, i32 %a, i32 %b     after  %a.cut = trunc i32 %a to i5 ...
///         %t = trunc i32 %s to i5                      %s = select i1 %c, i5 %a.cut, i5 %b.cut
///         %m = and i29 %x, 16                          %m = trunc (lshr %x, 4) to i1
///         %n = icmp ne i29 %m, 0                       (%m itself)
void narrow(llvm::Function& function);

}  // namespace systole::compiler
