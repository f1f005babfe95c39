#include "hls/compiler/support/diagnostic.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

#include "hls/compiler/support/source.h"

namespace systole::compiler {

std::string source_position(const llvm::Instruction& instruction) {
  const llvm::DILocation* location = user_location(instruction.getDebugLoc());
  if (!location) return "";
  return fmt::format("{}:{}:{}", path_of(location->getDirectory(), location->getFilename()),
                     location->getLine(), location->getColumn());
}

void refuse(const llvm::Instruction& instruction, const std::string& message) {
  if (std::getenv("HLSC_DEBUG")) {  // for who works on the compiler: the IR at this point
    instruction.getFunction()->print(llvm::errs());
    instruction.print(llvm::errs());
    llvm::errs() << "\n";
  }
  const std::string position = source_position(instruction);
  throw Refusal(position.empty() ? message : position + ": " + message);
}

}  // namespace systole::compiler
