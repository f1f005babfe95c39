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

/// A pointer as its GEPs compute it: base, selected fields, and array indices. The fields determine
/// the leaf, the indices the element.
struct Address {
  struct Index {
    llvm::Value* value = nullptr;  ///< null for the constant `constant`
    std::int64_t constant = 0;
    std::int64_t stride_bytes = 0;
    std::int64_t count = 0;  ///< of the indexed array; 0 if unknown
  };
  const llvm::Value* base = nullptr;
  std::int64_t field_bytes = 0;
  std::vector<Index> indices;
};

Address decode(llvm::Value* pointer, const llvm::DataLayout& layout);

/// An address inside a struct: leaf and element = constant + sum of value * factor.
struct Place {
  int leaf = -1;
  std::int64_t element = 0;
  std::vector<std::pair<llvm::Value*, std::int64_t>> terms;
};

/// The leaf and element at an address, or nothing if it is not one element.
std::optional<Place> place_of(const Address& address, const std::vector<Leaf>& leaves);

/// Whether no byte from the address on belongs to an element.
bool is_padding(const Address& address, std::int64_t size_bytes, const std::vector<Leaf>& leaves);

/// An element within a copy of several bytes, and its first byte.
struct Piece {
  Place place;
  std::int64_t byte = 0;
};

/// The elements in the bytes from an address on; none if one is only partly inside.
std::vector<Piece> pieces_of(const Address& address, std::int64_t size_bytes,
                             const std::vector<Leaf>& leaves);

/// The leaf under a pointer into `self`, whichever element; -1 for none.
int leaf_of_pointer(llvm::Value& pointer, const llvm::Value& self, const std::vector<Leaf>& state,
                    const llvm::DataLayout& layout);

/// The leaf of the submodule that contains the byte, or -1. Variable indices count as 0, which
/// gives the first submodule of an array.
int instance_at(const Address& address, const std::vector<Leaf>& state);

/// Elements between neighbours of one dimension.
std::int64_t element_step(const Leaf& leaf, std::size_t dimension);

/// Visits every element of every leaf with its leaf, number and first byte.
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
