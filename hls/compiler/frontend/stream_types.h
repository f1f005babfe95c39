#pragma once

#include <string>

namespace llvm {
class DIType;
class StringRef;
}  // namespace llvm

namespace systole::compiler {

/// Whether a type is the type layer's template of this name, "StreamIn".
bool is_library_template(const llvm::DIType* type, llvm::StringRef name);

/// Whether a type is a Vec or a std::array.
bool is_array_of_elements(const llvm::DIType* type);

/// "StreamOut<systole::hls::UInt<8> >" -> "UInt<8>".
std::string stream_element(const llvm::DIType& stream);

}  // namespace systole::compiler
