#include "hls/compiler/frontend/stream_types.h"

#include <llvm/IR/DebugInfoMetadata.h>

#include <cctype>

#include "hls/compiler/support/source.h"

namespace systole::compiler {

bool is_library_template(const llvm::DIType* type, llvm::StringRef name) {
  return is_type_layer(type->getFilename()) &&
         type->getName().take_until([](char c) { return c == '<'; }) == name;
}

bool is_array_of_elements(const llvm::DIType* type) {
  return is_library_template(type, "Vec") ||
         (is_library(type->getFilename()) && type->getName().starts_with("array<"));
}

std::string stream_element(const llvm::DIType& stream) {
  const std::string name = stream.getName().drop_until([](char c) { return c == '<'; }).str();
  std::string shown;
  std::size_t word = 0;  // start of the current word in `shown`
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    const char c = name[i];
    if (c == ':') {
      shown.erase(word);
    } else if (c != ' ' || (i + 2 < name.size() && name[i + 1] != '>')) {
      shown += c;
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_') word = shown.size();
    }
  }
  return shown;
}

}  // namespace systole::compiler
