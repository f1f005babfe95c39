#include "hls/compiler/passes/address.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

namespace systole::compiler {

using llvm::dyn_cast;

Address decode(llvm::Value* pointer, const llvm::DataLayout& layout) {
  Address address;
  for (;;) {
    if (auto* phi = dyn_cast<llvm::PHINode>(pointer); phi && phi->hasConstantValue()) {
      pointer = phi->hasConstantValue();
      continue;
    }
    auto* step = dyn_cast<llvm::GEPOperator>(pointer);
    if (!step) break;
    for (auto at = llvm::gep_type_begin(step); at != llvm::gep_type_end(step); ++at) {
      llvm::Value* index = at.getOperand();
      if (llvm::StructType* type = at.getStructTypeOrNull()) {
        const auto field = llvm::cast<llvm::ConstantInt>(index)->getZExtValue();
        address.field_bytes += static_cast<std::int64_t>(
            layout.getStructLayout(type)->getElementOffset(static_cast<unsigned>(field)));
        continue;
      }
      const auto stride =
          static_cast<std::int64_t>(at.getSequentialElementStride(layout).getFixedValue());
      if (const auto* constant = dyn_cast<llvm::ConstantInt>(index)) {
        if (!constant->isZero()) {
          address.indices.push_back({nullptr, constant->getSExtValue(), stride});
        }
      } else {
        address.indices.push_back({index, 0, stride});
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

/// Tries to read the address as an element of this leaf.
std::optional<Place> place_in(const Address& address, const std::vector<Leaf>& leaves, int index) {
  const Leaf& leaf = leaves[index];
  if (leaf.offset_bytes != address.field_bytes) return std::nullopt;
  Place place{.leaf = index, .element = 0, .terms = {}};
  for (const Address::Index& step : address.indices) {
    bool found = false;
    for (std::size_t d = 0; d < leaf.dimensions.size() && !found; ++d) {
      if (step.stride_bytes != leaf.dimensions[d].stride_bytes) continue;
      if (step.value) {
        place.terms.emplace_back(step.value, element_step(leaf, d));
      } else {
        place.element += step.constant * element_step(leaf, d);
      }
      found = true;
    }
    if (!found) return std::nullopt;
  }
  if (place.terms.empty() && (place.element < 0 || place.element >= leaf.elements())) {
    return std::nullopt;
  }
  return place;
}

/// An address without variables is a byte, whatever steps lead to it: LLVM shares the steps of
/// addresses that happen to be equal, such as the end of one member and the start of the next.
std::optional<Place> place_of_byte(std::int64_t byte, const std::vector<Leaf>& leaves) {
  for (int i = 0; i < static_cast<int>(leaves.size()); ++i) {
    const Leaf& leaf = leaves[i];
    if (leaf.kind == LeafKind::kInstance || byte < leaf.offset_bytes) continue;
    std::int64_t rest = byte - leaf.offset_bytes;
    Place place{.leaf = i, .element = 0, .terms = {}};
    bool inside = true;
    for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
      const std::int64_t index = rest / leaf.dimensions[d].stride_bytes;
      inside = inside && index < leaf.dimensions[d].count;
      place.element += index * element_step(leaf, d);
      rest %= leaf.dimensions[d].stride_bytes;
    }
    if (inside && rest == 0) return place;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Place> place_of(const Address& address, const std::vector<Leaf>& leaves) {
  std::int64_t byte = address.field_bytes;
  bool varies = false;
  for (const Address::Index& index : address.indices) {
    byte += index.constant * index.stride_bytes;
    varies = varies || index.value != nullptr;
  }
  if (!varies) return place_of_byte(byte, leaves);
  for (int i = 0; i < static_cast<int>(leaves.size()); ++i) {
    if (leaves[i].kind == LeafKind::kInstance) continue;
    if (auto place = place_in(address, leaves, i)) return place;
  }
  return std::nullopt;
}

int instance_at(const Address& address, const std::vector<Leaf>& state) {
  for (int i = 0; i < static_cast<int>(state.size()); ++i) {
    if (state[i].kind == LeafKind::kInstance && address.field_bytes >= state[i].offset_bytes &&
        address.field_bytes < state[i].offset_bytes + state[i].size_bytes) {
      return i;
    }
  }
  return -1;
}

}  // namespace systole::compiler
