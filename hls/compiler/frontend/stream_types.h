#pragma once

#include <string>

namespace llvm {
class DIType;
class StringRef;
}  // namespace llvm

namespace systole::compiler {

/// Whether a type is the type layer's template of this name, "StreamIn".
bool is_library_template(const llvm::DIType* type, llvm::StringRef name);

/// "StreamOut<systole::hls::UInt<8> >" -> "UInt<8>".
std::string stream_element(const llvm::DIType& stream);

}  // namespace systole::compiler
