#pragma once

#include <llvm/IR/DebugLoc.h>

#include <cstdint>
#include <map>
#include <tuple>

#include "hls/compiler/ir/operations.h"

namespace llvm {
class AllocaInst;
class CallInst;
class Constant;
class Function;
class Type;
}  // namespace llvm

namespace systole::compiler {

/// Registers and ports that only constants address, as SSA values: each is read once at the start
/// of the function and written once at its end.
class Cells {
 public:
  explicit Cells(llvm::Function& function) : function_(function) {}

  /// Replaces one read or write of a cell. `read` and `write` are the operations at start and end;
  /// if they are equal, the cell has no value at the start (an output).
  void replace(llvm::CallInst& call, bool is_read, Operation read, Operation write);

  /// Writes every cell back and makes all of them SSA. Call once, last.
  void finish();

 private:
  struct Cell {
    llvm::AllocaInst* memory = nullptr;
    llvm::Type* type = nullptr;
    llvm::Constant* leaf = nullptr;
    llvm::Constant* element = nullptr;
    llvm::DebugLoc position;
    bool written = false;
  };
  llvm::Function& function_;
  std::map<std::tuple<Operation, std::int64_t, std::int64_t>, Cell> cells_;
};

}  // namespace systole::compiler
