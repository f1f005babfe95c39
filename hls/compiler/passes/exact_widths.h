#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Gives memory accesses the width of their C++ type. clang stores a _BitInt(28) in 32 bits:
///
///   before   %1 = load i32, ptr %p             after   %1 = load i28, ptr %p
///            %loadedv = trunc i32 %1 to i28
///            %storedv = zext i28 %x to i32             store i28 %x, ptr %q
///            store i32 %storedv, ptr %q
void exact_widths(llvm::Function& function);

}  // namespace systole::compiler
