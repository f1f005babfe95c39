#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/ir/operations.h"

namespace llvm {
class Constant;
class Instruction;
class IRBuilderBase;
}  // namespace llvm

namespace systole::compiler {

class RangeChecks;

/// What a function's pointers refer to: registers, inputs or outputs, and the operations that read
/// and write them.
class PointerRoots {
 public:
  struct Root {
    const std::vector<Leaf>* leaves;
    Operation read;
    Operation write;
  };

  explicit PointerRoots(const llvm::DataLayout& layout) : layout_(layout) {}

  /// Declares that a pointer argument holds these leaves.
  void bind(const llvm::Value* base, const std::vector<Leaf>* leaves, Operation read,
            Operation write) {
    roots_[base] = {leaves, read, write};
  }
  /// What the pointer argument holds, or null.
  const Root* find(const llvm::Value* base) const;
  /// The one element that an access covers, and its object.
  ///
  /// Errors   Refusal if it is not one element, or unknown
  Place place_of_access(const llvm::Instruction& access, llvm::Value* pointer,
                        const Root** root) const;

 private:
  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, Root> roots_;
};

/// A leaf or field as an operation's argument.
llvm::Constant* leaf_number(llvm::IRBuilderBase& builder, int leaf);

/// The index of a place's element.
llvm::Value* element_value(llvm::IRBuilderBase& builder, const Place& place);

/// The same, with the requirement that it is inside the leaf: each index of a multi-dimensional
/// array within its own dimension, if the place tells which.
llvm::Value* checked_element(const llvm::Instruction& access, llvm::IRBuilderBase& builder,
                             const Place& place, const Leaf& leaf, RangeChecks& checks);

}  // namespace systole::compiler
