#pragma once

#include <map>
#include <set>

#include "hls/compiler/prove/memory.h"

namespace llvm {
class DataLayout;
class GlobalVariable;
}  // namespace llvm

namespace systole::compiler {

/// A function's constant tables.
///
/// Errors   Refusal for a variable that is not constant
class Globals {
 public:
  /// The object that holds the table; a new one takes the number after `last`.
  int object(const llvm::GlobalVariable& global, const llvm::DataLayout& layout, int& last);
  const MemoryObject& content(int object) const { return contents_.at(object); }
  bool owns(int object) const { return contents_.count(object) != 0; }

 private:
  std::map<const llvm::GlobalVariable*, int> objects_;
  std::map<int, MemoryObject> contents_;
};

}  // namespace systole::compiler
