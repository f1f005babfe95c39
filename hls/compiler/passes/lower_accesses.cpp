#include "hls/compiler/passes/lower_accesses.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <map>
#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/ir/cells.h"
#include "hls/compiler/ir/enum_values.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/ir/picks.h"
#include "hls/compiler/passes/drop_padding.h"
#include "hls/compiler/passes/element_accesses.h"
#include "hls/compiler/passes/expand_picks.h"
#include "hls/compiler/passes/lower_instances.h"
#include "hls/compiler/passes/lower_pipelines.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

/// Rewrites one function's accesses.
class Lowering {
 public:
  Lowering(llvm::Function& function, LoweredModule* module)
      : function_(function),
        module_(module),
        layout_(function.getParent()->getDataLayout()),
        roots_(layout_) {}

  PointerRoots& roots() { return roots_; }

  void run() {
    lower_instances(function_, module_, checks_);
    // Argument structs of submodules are values now, not memory.
    tidy(function_);
    split_copies();
    // Twice: once the array is values, the constants that fill it are visible.
    for (int round = 0; round < 2; ++round) {
      expand_picks(function_, checks_);
      tidy(function_);
    }
    drop_padding(function_, [this](const llvm::Value& base) {
      const Root* root = roots_.find(&base);
      return root ? root->leaves : nullptr;
    });
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
        lower_load(*load);  // and erases it
      } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
        lower_store(*store);
      }
    }
    if (module_) narrow_arguments(function_, module_->state, checks_);
    promote();
    tidy(function_);
    refuse_leftovers();
    checks_.settle(function_);
  }

 private:
  using Root = PointerRoots::Root;

  static void refuse_variable_port(const llvm::Instruction& access, const Place& place) {
    if (place.terms.empty()) return;
    refuse(access,
           "a port is picked by a variable index; copy the ports to an array of registers, "
           "or choose with a loop and ?:");
  }

  void lower_load(llvm::LoadInst& load) {
    if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load.getPointerOperand(), 0))) return;
    const Root* root = nullptr;
    const Place place = roots_.place_of_access(load, load.getPointerOperand(), &root);
    if (root->read == Operation::kWritePort) {
      refuse(load, "an output cannot be read back; keep the value in a local variable");
    }
    llvm::IRBuilder<> builder(&load);
    llvm::Value* value = nullptr;
    if (load.getType()->isIntegerTy((*root->leaves)[place.leaf].memory_width())) {
      value = read(load, builder, *root, place);
      value->takeName(&load);
    } else {
      // A copy of a struct of bools or enums: several elements at once.
      for (const Piece& piece : pieces(load, load.getPointerOperand(), load.getType(), *root)) {
        llvm::Value* part =
            builder.CreateZExt(read(load, builder, *root, piece.place), load.getType());
        part = builder.CreateShl(part, static_cast<std::uint64_t>(8 * piece.byte));
        value = value ? builder.CreateOr(value, part) : part;
      }
      if (!value) refuse(load, "this reads part of a value; use slice<high, low>()");
    }
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }

  llvm::Value* read(llvm::LoadInst& load, llvm::IRBuilder<>& builder, const Root& root,
                    const Place& place) {
    const Leaf& leaf = (*root.leaves)[place.leaf];
    if (root.read == Operation::kReadPort && !place.terms.empty()) {
      std::vector<llvm::Value*> elements;
      for (std::int64_t element = 0; element < leaf.elements(); ++element) {
        const Place one{.leaf = place.leaf, .element = element, .terms = {}};
        elements.push_back(read(load, builder, root, one));
      }
      llvm::Value* index = checked_element(load, builder, place, leaf, checks_);
      return emit_pick(builder, without_underscore(leaf.name), index, elements);
    }
    if (root.read == Operation::kReadPort) {
      // A port is the same all over the clock, so outputs may use it wherever it was read first.
      llvm::BasicBlock& entry = function_.getEntryBlock();
      builder.SetInsertPoint(
          &entry, last_port_ ? std::next(last_port_->getIterator()) : entry.getFirstInsertionPt());
    }
    llvm::CallInst* value = emit_operation(
        builder, root.read, builder.getIntNTy(leaf.width),
        {leaf_number(builder, place.leaf), checked_element(load, builder, place, leaf, checks_)});
    if (root.read == Operation::kReadPort) last_port_ = value;
    value->setDebugLoc(load.getDebugLoc());
    builder.SetInsertPoint(&load);
    return value_in_memory(builder, value, leaf);
  }

  /// The elements that an access of several covers; none if it covers part of one.
  std::vector<Piece> pieces(const llvm::Instruction& access, llvm::Value* pointer, llvm::Type* type,
                            const Root& root) const {
    if (!type->isIntegerTy()) refuse(access, "this copies raw memory; assign the members");
    const auto bytes = static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue());
    return pieces_of(decode(pointer, layout_), bytes, *root.leaves);
  }

  void lower_store(llvm::StoreInst& store) {
    llvm::Value* pointer = store.getPointerOperand();
    if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer, 0))) return;
    const Root* root = nullptr;
    const Place place = roots_.place_of_access(store, pointer, &root);
    if (root->write == Operation::kReadPort) {
      refuse(store, "an input cannot be written; copy it to a local value first");
    }
    llvm::IRBuilder<> builder(&store);
    llvm::Value* value = store.getValueOperand();
    const Leaf& leaf = (*root->leaves)[place.leaf];
    if (value->getType()->isIntegerTy(leaf.memory_width())) {
      write(store, builder, *root, place, value);
    } else {
      const std::vector<Piece> parts = pieces(store, pointer, value->getType(), *root);
      if (parts.empty()) refuse(store, "this writes part of a value");
      for (const Piece& piece : parts) {
        llvm::Value* part = builder.CreateLShr(value, static_cast<std::uint64_t>(8 * piece.byte));
        const unsigned width = (*root->leaves)[piece.place.leaf].memory_width();
        write(store, builder, *root, piece.place,
              builder.CreateTrunc(part, builder.getIntNTy(width)));
      }
    }
    store.eraseFromParent();
  }

  void write(llvm::StoreInst& store, llvm::IRBuilder<>& builder, const Root& root,
             const Place& place, llvm::Value* value) {
    if (root.write == Operation::kWritePort) refuse_variable_port(store, place);
    builder.SetCurrentDebugLocation(store.getDebugLoc());
    const Leaf& leaf = (*root.leaves)[place.leaf];
    emit_operation(
        builder, root.write, nullptr,
        {leaf_number(builder, place.leaf), checked_element(store, builder, place, leaf, checks_),
         value_in_hardware(builder, value, leaf, checks_)});
  }

  /// Replaces a copy of raw memory, which clang makes of a struct or array of bools or enums, by
  /// copies of its elements.
  void split_copies() {
    std::vector<llvm::MemIntrinsic*> copies;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (auto* copy = dyn_cast<llvm::MemIntrinsic>(&instruction)) copies.push_back(copy);
    }
    for (llvm::MemIntrinsic* copy : copies) split_copy(*copy);
    if (!copies.empty()) tidy(function_);
  }

  void split_copy(llvm::MemIntrinsic& copy) {
    const auto* size = dyn_cast<llvm::ConstantInt>(copy.getLength());
    const auto* transfer = dyn_cast<llvm::MemTransferInst>(&copy);
    const Address to = decode(copy.getDest(), layout_);
    const Address from = transfer ? decode(transfer->getSource(), layout_) : to;
    const Address& known = roots_.find(to.base) ? to : from;
    const Root* root = roots_.find(known.base);
    if (!size || !root) return;
    const std::vector<Leaf>& leaves = *root->leaves;
    const std::vector<Piece> parts = pieces_of(known, size->getSExtValue(), leaves);
    if (parts.empty()) return;
    llvm::IRBuilder<> builder(&copy);
    const auto at = [&](llvm::Value* pointer, std::int64_t byte) {
      return byte == 0 ? pointer
                       : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, byte);
    };
    std::vector<llvm::Value*> values;  // all read before any is written: the two may overlap
    for (const Piece& part : parts) {
      llvm::Type* type = builder.getIntNTy(leaves[part.place.leaf].memory_width());
      if (transfer) {
        values.push_back(builder.CreateLoad(type, at(transfer->getSource(), part.byte)));
        continue;
      }
      const auto* fill = dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::MemSetInst>(copy).getValue());
      if (!fill || !fill->isZero()) return;
      values.push_back(llvm::ConstantInt::get(type, 0));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      builder.CreateStore(values[i], at(copy.getDest(), parts[i].byte));
    }
    copy.eraseFromParent();
  }

  /// Registers and ports that only constants address become values: read once before the edge,
  /// written once at its end.
  void promote() {
    std::map<int, std::vector<llvm::CallInst*>> state;
    std::set<int> indexed;
    std::vector<llvm::CallInst*> outputs;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      const bool load = is_operation(instruction, Operation::kLoad);
      const bool store = is_operation(instruction, Operation::kStore);
      auto* call = dyn_cast<llvm::CallInst>(&instruction);
      if (load || store) {
        const int leaf = leaf_of(*call);
        state[leaf].push_back(call);
        if (!llvm::isa<llvm::ConstantInt>(call->getArgOperand(1))) indexed.insert(leaf);
      } else if (is_operation(instruction, Operation::kWritePort)) {
        outputs.push_back(call);
      }
    }
    if (module_ && module_->clock != &function_) {
      for (int leaf : indexed_in_clock_) indexed.insert(leaf);
    }
    Cells cells(function_);
    for (const auto& [leaf, calls] : state) {
      if (indexed.count(leaf) != 0) continue;
      for (llvm::CallInst* call : calls) {
        cells.replace(*call, is_operation(*call, Operation::kLoad), Operation::kReadRegister,
                      Operation::kWriteRegister);
      }
    }
    for (llvm::CallInst* call : outputs) {
      cells.replace(*call, false, Operation::kWritePort, Operation::kWritePort);
    }
    cells.finish();
  }

  void refuse_leftovers() const {
    for (const llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (llvm::isa<llvm::AllocaInst>(instruction)) {
        // The array itself has no position; what uses it does.
        const llvm::Instruction* place = &instruction;
        for (const llvm::User* user : instruction.users()) {
          const auto* one = llvm::cast<llvm::Instruction>(user);
          const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(one);
          if (step && !step->hasAllConstantIndices() && !source_position(*one).empty()) place = one;
        }
        refuse(*place, fmt::format("the local array '{}' is indexed by something that is not "
                                   "constant after unrolling; make it a member, or index it with a "
                                   "loop variable",
                                   instruction.getName().str()));
      }
      if (llvm::isa<llvm::MemIntrinsic>(instruction)) {
        refuse(instruction, "this copies raw memory; assign the members");
      }
    }
  }

  llvm::Function& function_;
  LoweredModule* module_;
  const llvm::DataLayout& layout_;
  PointerRoots roots_;
  llvm::Instruction* last_port_ = nullptr;
  RangeChecks checks_;

 public:
  std::set<int> indexed_in_clock_;  ///< arrays that stay arrays because clock() indexes them
};

}  // namespace

void lower_accesses(llvm::Function& function, LoweredModule& module) {
  Lowering lowering(function, &module);
  if (module.clock == &function) {
    lowering.roots().bind(function.getArg(0), &module.outputs, Operation::kWritePort,
                          Operation::kWritePort);
    lowering.roots().bind(function.getArg(1), &module.state, Operation::kLoad, Operation::kStore);
    lowering.roots().bind(function.getArg(2), &module.inputs, Operation::kReadPort,
                          Operation::kReadPort);
  } else {
    lowering.roots().bind(function.getArg(0), &module.state, Operation::kLoad, Operation::kStore);
    for (const llvm::Instruction& instruction : llvm::instructions(*module.clock)) {
      if (!is_operation(instruction, {Operation::kLoad, Operation::kStore})) {
        continue;
      }
      lowering.indexed_in_clock_.insert(leaf_of(instruction));
    }
  }
  lowering.run();
}

void lower_function_accesses(llvm::Function& function, const LoweredFunction& lowered) {
  Lowering lowering(function, nullptr);
  lowering.roots().bind(function.getArg(0), &lowered.result, Operation::kWritePort,
                        Operation::kWritePort);
  // Each parameter points to memory of its own; its leaves keep their numbers among all.
  Leaf other;
  other.kind = LeafKind::kInstance;
  const auto types = function.getSubprogram()->getType()->getTypeArray();
  std::vector<std::vector<Leaf>> own(function.arg_size() - 1);
  std::size_t first = 0;
  for (unsigned i = 0; i < own.size(); ++i) {
    own[i].assign(first, other);
    first += layout_of(strip_type(types[i + 2])).size();
    own[i].insert(own[i].end(),
                  lowered.arguments.begin() + static_cast<std::ptrdiff_t>(own[i].size()),
                  lowered.arguments.begin() + static_cast<std::ptrdiff_t>(first));
    lowering.roots().bind(function.getArg(i + 1), &own[i], Operation::kReadPort,
                          Operation::kReadPort);
  }
  lowering.run();
}

}  // namespace systole::compiler
