#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace llvm {
class DataLayout;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// A pointer as its GEPs spell it: base, the fields chosen, and the array indices on the way. The
/// fields alone say which leaf it is; the indices say which element.
struct Address {
  struct Index {
    llvm::Value* value = nullptr;  ///< null for the constant `constant`
    std::int64_t constant = 0;
    std::int64_t stride_bytes = 0;
  };
  const llvm::Value* base = nullptr;
  std::int64_t field_bytes = 0;
  std::vector<Index> indices;
};

Address decode(llvm::Value* pointer, const llvm::DataLayout& layout);

/// Where an address points inside a struct: leaf and element = constant + sum of value * factor.
struct Place {
  int leaf = -1;
  std::int64_t element = 0;
  std::vector<std::pair<llvm::Value*, std::int64_t>> terms;
};

/// The leaf and element that an address points to, or nothing where it is not one element.
std::optional<Place> place_of(const Address& address, const std::vector<Leaf>& leaves);

/// The leaf of a submodule that contains the byte, or -1.
int instance_at(const Address& address, const std::vector<Leaf>& state);

/// Elements between neighbours of one dimension.
std::int64_t element_step(const Leaf& leaf, std::size_t dimension);

}  // namespace systole::compiler
