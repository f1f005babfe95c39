#pragma once

namespace llvm {
class Function;
}

namespace systole::compiler {

/// Copies a struct's bools and enums one by one. clang copies adjacent ones together with the bytes
/// between them, which belong to no register or port. Constants that are stored whole become their
/// parts, too: clang writes one of more than 128 bits as a struct of bytes.
///
/// before  call memcpy(getelementptr %S, ptr %to, 0, 2; getelementptr %S, ptr %from, 0, 2; 4)
/// after   store (load i8, ptr %from + 8), ptr %to + 8    ; and so on, each member of %S
void split_copies(llvm::Function& function);

}  // namespace systole::compiler
