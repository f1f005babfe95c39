#pragma once

namespace llvm {
class Function;
}  // namespace llvm

namespace systole::compiler {

/// Takes the parts of a value that was put together from parts, as clang does with a struct that it
/// returns in an integer, straight from where they came from: analyses follow an enum's few bits no
/// further than six operations.
///
/// before  %whole = or (zext i8 %a), (shl (zext i8 %b), 8)        after  uses of %b
///         %part = trunc (lshr %whole, 8) to i8
void forward_parts(llvm::Function& function);

}  // namespace systole::compiler
