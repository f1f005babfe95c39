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
    std::int64_t count = 0;  ///< of the array that it indexes; 0 where that is unknown
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

/// An element that a copy of several bytes takes with it, and at which of them it starts.
struct Piece {
  Place place;
  std::int64_t byte = 0;
};

/// The elements in the bytes from an address on; none where one of them is only partly inside.
std::vector<Piece> pieces_of(const Address& address, std::int64_t size_bytes,
                             const std::vector<Leaf>& leaves);

/// The leaf that the pointer into `self` falls on, whichever element it is; -1 for none.
int leaf_of_pointer(llvm::Value& pointer, const llvm::Value& self, const std::vector<Leaf>& state,
                    const llvm::DataLayout& layout);

/// The leaf of a submodule that contains the byte, or -1. A variable counts as 0: of an array of
/// submodules it is the first.
int instance_at(const Address& address, const std::vector<Leaf>& state);

/// Elements between neighbours of one dimension.
std::int64_t element_step(const Leaf& leaf, std::size_t dimension);

/// Visits every element of every leaf: the leaf, the element, and the byte it starts at.
template <typename Visit>
void for_each_element(const std::vector<Leaf>& leaves, Visit visit) {
  for (const Leaf& leaf : leaves) {
    for (std::int64_t element = 0; element < leaf.elements(); ++element) {
      std::int64_t offset = leaf.offset_bytes;
      std::int64_t rest = element;
      for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
        const std::int64_t step = element_step(leaf, d);
        offset += rest / step * leaf.dimensions[d].stride_bytes;
        rest %= step;
      }
      visit(leaf, element, offset);
    }
  }
}

}  // namespace systole::compiler
