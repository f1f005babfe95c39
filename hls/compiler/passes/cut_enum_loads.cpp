#include "hls/compiler/passes/cut_enum_loads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/frontend/thread_ports.h"
#include "hls/compiler/ir/enum_values.h"
#include "hls/compiler/passes/forward_parts.h"

namespace systole::compiler {

namespace {

/// The elements that a load reads, several where clang copies bools or enums at once.
std::vector<Piece> pieces_read(const llvm::LoadInst& load, const Address& address,
                               const std::vector<Leaf>& leaves) {
  const std::optional<Place> place = place_of(address, leaves);
  if (!place || place->leaf < 0 || !load.getType()->isIntegerTy()) return {};
  if (load.getType()->isIntegerTy(leaves[place->leaf].memory_width())) return {{*place, 0}};
  const llvm::TypeSize bytes = load.getDataLayout().getTypeStoreSize(load.getType());
  return pieces_of(address, static_cast<std::int64_t>(bytes.getFixedValue()), leaves);
}

std::vector<llvm::Use*> uses_of(llvm::Value& value) {
  std::vector<llvm::Use*> uses;
  for (llvm::Use& use : value.uses()) uses.push_back(&use);
  return uses;
}

/// The value that was loaded, put together from what its elements have in hardware.
llvm::Value* joined(llvm::LoadInst& load, const std::vector<Piece>& pieces,
                    const std::vector<Leaf>& leaves) {
  llvm::IRBuilder<> builder(load.getNextNode());
  llvm::Value* whole = nullptr;
  for (const Piece& piece : pieces) {
    const Leaf& leaf = leaves[piece.place.leaf];
    const auto shift = static_cast<std::uint64_t>(8 * piece.byte);
    llvm::Value* part =
        builder.CreateTrunc(builder.CreateLShr(&load, shift), builder.getIntNTy(leaf.width));
    part = builder.CreateZExt(value_in_memory(builder, part, leaf), load.getType());
    part = builder.CreateShl(part, shift);
    whole = whole ? builder.CreateOr(whole, part) : part;
  }
  return whole;
}

}  // namespace

void cut_enum_loads(llvm::Function& thread, const ThreadPorts& ports) {
  std::vector<llvm::LoadInst*> loads;
  for (llvm::Instruction& instruction : llvm::instructions(thread)) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) loads.push_back(load);
  }
  bool any = false;
  for (llvm::LoadInst* load : loads) {
    const Address address = decode(load->getPointerOperand(), thread.getDataLayout());
    for (std::size_t i = 0; i < ports.parameters.size(); ++i) {
      if (address.base != thread.getArg(static_cast<unsigned>(i))) continue;
      const std::vector<Leaf>& leaves = ports.parameters[i].leaves;
      const std::vector<Piece> pieces = pieces_read(*load, address, leaves);
      const bool cuts = std::ranges::any_of(pieces, [&](const Piece& piece) {
        const Leaf& leaf = leaves[piece.place.leaf];
        return leaf.is_enum() && leaf.width < leaf.memory_width();
      });
      if (!cuts) continue;
      const std::vector<llvm::Use*> uses = uses_of(*load);
      llvm::Value* value = joined(*load, pieces, leaves);
      for (llvm::Use* use : uses) use->set(value);
      any = true;
    }
  }
  if (any) forward_parts(thread);
}

}  // namespace systole::compiler
