#include "hls/compiler/analyses/address.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <utility>

namespace systole::compiler {

using llvm::dyn_cast;

namespace {

/// Adds to the constant step of this stride: an array's end less one is its last element.
void add_constant(Address& address, std::int64_t constant, std::int64_t stride) {
  const auto same =
      std::find_if(address.indices.begin(), address.indices.end(),
                   [&](const auto& step) { return !step.value && step.stride_bytes == stride; });
  if (same != address.indices.end()) {
    same->constant += constant;
  } else if (constant != 0) {
    address.indices.push_back({nullptr, constant, stride, 0});
  }
}

}  // namespace

Address decode(llvm::Value* pointer, const llvm::DataLayout& layout) {
  Address address;
  for (;;) {
    if (auto* phi = dyn_cast<llvm::PHINode>(pointer); phi && phi->hasConstantValue()) {
      pointer = phi->hasConstantValue();
      continue;
    }
    auto* step = dyn_cast<llvm::GEPOperator>(pointer);
    if (!step) break;
    llvm::Type* inside = nullptr;  // the type that the next index steps into; null for the first
    for (auto at = llvm::gep_type_begin(step); at != llvm::gep_type_end(step); ++at) {
      llvm::Value* index = at.getOperand();
      llvm::Type* around = std::exchange(inside, at.getIndexedType());
      if (llvm::StructType* type = at.getStructTypeOrNull()) {
        const auto field = llvm::cast<llvm::ConstantInt>(index)->getZExtValue();
        address.field_bytes += static_cast<std::int64_t>(
            layout.getStructLayout(type)->getElementOffset(static_cast<unsigned>(field)));
        continue;
      }
      const auto stride =
          static_cast<std::int64_t>(at.getSequentialElementStride(layout).getFixedValue());
      if (const auto* constant = dyn_cast<llvm::ConstantInt>(index)) {
        add_constant(address, constant->getSExtValue(), stride);
      } else {
        const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(around);
        const auto count = array ? array->getNumElements() : 0;
        address.indices.push_back({index, 0, stride, static_cast<std::int64_t>(count)});
      }
    }
    pointer = step->getPointerOperand();
  }
  address.base = pointer;
  return address;
}

std::int64_t element_step(const Leaf& leaf, std::size_t dimension) {
  std::int64_t step = 1;
  for (std::size_t d = dimension + 1; d < leaf.dimensions.size(); ++d) {
    step *= leaf.dimensions[d].count;
  }
  return step;
}

namespace {

std::int64_t memory_bytes(const Leaf& leaf) { return (leaf.memory_width() + 7) / 8; }

/// The dimension of the leaf that a step of the address counts along, or -1.
int dimension_of(const Leaf& leaf, const Address::Index& step) {
  for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
    if (leaf.dimensions[d].stride_bytes == step.stride_bytes) return static_cast<int>(d);
  }
  return -1;
}

/// Tries to read the address as an element of this leaf. Its fields determine the leaf. Without
/// variables its indices may, too, since LLVM merges equal addresses, such as the end of one member
/// and the start of the next.
std::optional<Place> place_in(const Address& address, const std::vector<Leaf>& leaves, int index) {
  const Leaf& leaf = leaves[index];
  const bool varies = std::any_of(address.indices.begin(), address.indices.end(),
                                  [](const auto& step) { return step.value != nullptr; });
  Place place{.leaf = index, .element = 0, .terms = {}};
  std::int64_t byte = address.field_bytes - leaf.offset_bytes;
  for (const Address::Index& step : address.indices) {
    const int dimension = varies ? dimension_of(leaf, step) : -1;
    // The end of a member may be the start of the next.
    if (dimension < 0 || step.constant >= leaf.dimensions[dimension].count) {
      if (step.value) return std::nullopt;
      byte += step.constant * step.stride_bytes;
      continue;
    }
    const std::int64_t elements = element_step(leaf, static_cast<std::size_t>(dimension));
    if (step.value) {
      place.terms.emplace_back(step.value, elements);
    } else {
      place.element += step.constant * elements;
    }
  }
  if (byte < 0) return std::nullopt;
  for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
    const std::int64_t count = byte / leaf.dimensions[d].stride_bytes;
    if (count >= leaf.dimensions[d].count) return std::nullopt;
    place.element += count * element_step(leaf, d);
    byte %= leaf.dimensions[d].stride_bytes;
  }
  return byte == 0 ? std::optional(place) : std::nullopt;
}

}  // namespace

std::optional<Place> place_of(const Address& address, const std::vector<Leaf>& leaves) {
  for (int i = 0; i < static_cast<int>(leaves.size()); ++i) {
    if (leaves[i].kind == LeafKind::kInstance) continue;
    if (auto place = place_in(address, leaves, i)) return place;
  }
  return std::nullopt;
}

bool is_padding(const Address& address, std::int64_t size_bytes, const std::vector<Leaf>& leaves) {
  const auto is_inside = [&](int leaf, std::int64_t byte) {
    for (std::int64_t start = byte - memory_bytes(leaves[leaf]) + 1; start <= byte; ++start) {
      Address there = address;
      there.field_bytes += start;
      if (place_in(there, leaves, leaf)) return true;
    }
    return false;
  };
  for (std::int64_t byte = 0; byte < size_bytes; ++byte) {
    Address there = address;
    there.field_bytes += byte;
    if (instance_at(there, leaves) >= 0) return false;
    for (int i = 0; i < static_cast<int>(leaves.size()); ++i) {
      if (leaves[i].kind != LeafKind::kInstance && is_inside(i, byte)) return false;
    }
  }
  return true;
}

std::vector<Piece> pieces_of(const Address& address, std::int64_t size_bytes,
                             const std::vector<Leaf>& leaves) {
  std::vector<Piece> pieces;
  for (std::int64_t byte = 0; byte < size_bytes; ++byte) {
    Address there = address;
    there.field_bytes += byte;
    const std::optional<Place> place = place_of(there, leaves);
    if (!place) continue;
    const Leaf& leaf = leaves[place->leaf];
    const std::int64_t bytes = memory_bytes(leaf);
    if (leaf.kind != LeafKind::kInteger || byte + bytes > size_bytes) return {};
    pieces.push_back({.place = *place, .byte = byte});
    byte += bytes - 1;
  }
  return pieces;
}

int instance_at(const Address& address, const std::vector<Leaf>& state) {
  std::int64_t byte = address.field_bytes;
  for (const Address::Index& step : address.indices) byte += step.constant * step.stride_bytes;
  for (int i = 0; i < static_cast<int>(state.size()); ++i) {
    if (state[i].kind == LeafKind::kInstance && byte >= state[i].offset_bytes &&
        byte < state[i].offset_bytes + state[i].size_bytes) {
      return i;
    }
  }
  return -1;
}

int leaf_of_pointer(llvm::Value& pointer, const llvm::Value& self, const std::vector<Leaf>& state,
                    const llvm::DataLayout& layout) {
  const Address address = decode(&pointer, layout);
  if (address.base != &self) return -1;
  const auto place = place_of(address, state);
  return place ? place->leaf : -1;
}

}  // namespace systole::compiler
