#pragma once

#include <llvm/ADT/APInt.h>
#include <llvm/ADT/MapVector.h>

namespace llvm {
class DataLayout;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A pointer as bytes from `base`, and indices with the bytes between their elements. Unlike
/// Address it knows nothing of fields and dimensions.
struct Location {
  static constexpr unsigned kBits = 64;  ///< of an address

  llvm::Value* base = nullptr;
  llvm::APInt bytes = llvm::APInt(kBits, 0);
  llvm::MapVector<llvm::Value*, llvm::APInt> indices = {};
};

/// Sees through steps, and through the joins of one way at the ends of loops.
Location location_of(llvm::Value* pointer, const llvm::DataLayout& layout);

}  // namespace systole::compiler
