#include "hls/compiler/passes/element_accesses.h"

#include <fmt/format.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

const PointerRoots::Root* PointerRoots::find(const llvm::Value* base) const {
  const auto found = roots_.find(base);
  return found == roots_.end() ? nullptr : &found->second;
}

Place PointerRoots::place_of_access(const llvm::Instruction& access, llvm::Value* pointer,
                                    const Root** root) const {
  const Address address = decode(pointer, layout_);
  *root = find(address.base);
  if (!*root) {
    if (llvm::isa_and_nonnull<llvm::GlobalVariable>(address.base)) {
      refuse(access,
             "this is a static or global variable, which is no register of this module; make "
             "it a member, or a constexpr that only constants index");
    }
    refuse(access,
           "this access is not to a register, a port or a local value whose place is known; "
           "index arrays with a loop variable or a constant, and keep no pointers");
  }
  const auto place = place_of(address, *(*root)->leaves);
  if (!place) {
    if (instance_at(address, *(*root)->leaves) >= 0) {
      refuse(access,
             "this reaches into a submodule's registers; pass what is needed through its "
             "ports");
    }
    refuse(access, "this access does not fall on one element; index with a loop variable");
  }
  return *place;
}

llvm::Constant* leaf_number(llvm::IRBuilderBase& builder, int leaf) {
  return builder.getInt32(static_cast<std::uint32_t>(leaf));
}

llvm::Value* element_value(llvm::IRBuilderBase& builder, const Place& place) {
  llvm::Value* sum = nullptr;
  for (const auto& [value, factor] : place.terms) {
    llvm::Value* wide = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
    llvm::Value* scaled = factor == 1 ? wide : builder.CreateNSWMul(wide, builder.getInt64(factor));
    sum = sum ? builder.CreateNSWAdd(sum, scaled) : scaled;
  }
  if (!sum) return builder.getInt64(place.element);
  return place.element == 0 ? sum : builder.CreateNSWAdd(sum, builder.getInt64(place.element));
}

/// Requires each index of a multi-dimensional array to stay inside its own dimension, if the place
/// tells which; whether it does.
static bool check_dimensions(llvm::IRBuilderBase& builder, const Place& place, const Leaf& leaf,
                             RangeChecks& checks) {
  if (leaf.dimensions.size() < 2 || place.element < 0) return false;
  std::vector<std::int64_t> constants;
  std::int64_t rest = place.element;
  for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
    constants.push_back(rest / element_step(leaf, d));
    rest %= element_step(leaf, d);
  }
  if (constants[0] >= leaf.dimensions[0].count) return false;
  std::vector<llvm::Value*> indices(constants.size());
  for (const auto& [value, factor] : place.terms) {
    std::size_t d = 0;
    while (d < indices.size() &&
           (element_step(leaf, d) != factor || leaf.dimensions[d].count == 1)) {
      ++d;
    }
    if (d == indices.size()) return false;
    llvm::Value* wide = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
    indices[d] = indices[d] ? builder.CreateNSWAdd(indices[d], wide) : wide;
  }
  for (std::size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d]) continue;
    const auto count = static_cast<std::uint64_t>(leaf.dimensions[d].count);
    checks.require(
        builder,
        constants[d] == 0
            ? indices[d]
            : builder.CreateNSWAdd(indices[d],
                                   builder.getInt64(static_cast<std::uint64_t>(constants[d]))),
        count,
        fmt::format("index {} may fall outside of '{}', which has {} elements there; size the "
                    "array by the width of its index, or guard the access",
                    d + 1, leaf.name, count));
  }
  return true;
}

llvm::Value* checked_element(const llvm::Instruction& access, llvm::IRBuilderBase& builder,
                             const Place& place, const Leaf& leaf, RangeChecks& checks) {
  builder.SetCurrentDebugLocation(access.getDebugLoc());
  llvm::Value* element = element_value(builder, place);
  if (check_dimensions(builder, place, leaf, checks)) return element;
  checks.require(builder, element, static_cast<std::uint64_t>(leaf.elements()),
                 fmt::format("this index may fall outside of '{}', which has {} elements; "
                             "size the array by the width of its index, or guard the access",
                             leaf.name, leaf.elements()));
  return element;
}

}  // namespace systole::compiler
