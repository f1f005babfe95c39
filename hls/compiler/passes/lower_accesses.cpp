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
#include "hls/compiler/passes/expand_picks.h"
#include "hls/compiler/passes/lower_instances.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

/// Rewrites one function's accesses.
class Lowering {
 public:
  Lowering(llvm::Function& function, const std::vector<Leaf>& state, LoweredModule* module)
      : function_(function),
        state_(state),
        module_(module),
        layout_(function.getParent()->getDataLayout()) {}

  /// Declares that a pointer argument holds these leaves.
  void bind(const llvm::Value* base, const std::vector<Leaf>* leaves, Operation read,
            Operation write) {
    roots_[base] = {leaves, read, write};
  }

  /// Pipelines first: a loop over lanes then holds values only, and can stay a loop.
  void run_pipelines() {
    for (llvm::CallInst* call : calls()) {
      const llvm::DISubprogram* subprogram = call->getCalledFunction()->getSubprogram();
      if (is_method(subprogram, "Pipeline", "output_to")) lower_pipeline_output(*call);
      if (is_method(subprogram, "Pipeline", "clock")) lower_pipeline_clock(*call, false);
      if (is_method(subprogram, "Pipeline", "clock_where")) lower_pipeline_clock(*call, true);
    }
    tidy(function_);
  }

  void run() {
    lower_instances(function_, module_, checks_);
    // Argument structs of submodules are values now, not memory.
    tidy(function_);
    split_copies();
    // Twice: what fills a local array from constants is in sight once the array is values.
    for (int round = 0; round < 2; ++round) {
      expand_picks(function_, checks_);
      tidy(function_);
    }
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
        lower_load(*load);  // and erases it
      } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
        lower_store(*store);
      }
    }
    narrow_arguments();
    promote();
    tidy(function_);
    refuse_leftovers();
    checks_.settle(function_);
  }

 private:
  struct Root {
    const std::vector<Leaf>* leaves;
    Operation read;
    Operation write;
  };

  llvm::Constant* leaf_constant(int leaf) const {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(function_.getContext()), leaf);
  }

  llvm::Value* element_value(llvm::IRBuilder<>& builder, const Place& place) const {
    llvm::Value* sum = nullptr;
    for (const auto& [value, factor] : place.terms) {
      llvm::Value* wide = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
      llvm::Value* scaled =
          factor == 1 ? wide : builder.CreateNSWMul(wide, builder.getInt64(factor));
      sum = sum ? builder.CreateNSWAdd(sum, scaled) : scaled;
    }
    if (!sum) return builder.getInt64(place.element);
    return place.element == 0 ? sum : builder.CreateNSWAdd(sum, builder.getInt64(place.element));
  }

  /// Requires each index of an array of several dimensions to stay inside its own, where the place
  /// says which is whose. Whether it does.
  bool check_dimensions(llvm::IRBuilder<>& builder, const Place& place, const Leaf& leaf) {
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
      checks_.require(
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

  /// The element, which must be one of the leaf's.
  llvm::Value* checked_element(const llvm::Instruction& access, llvm::IRBuilder<>& builder,
                               const Place& place, const Leaf& leaf) {
    builder.SetCurrentDebugLocation(access.getDebugLoc());
    llvm::Value* element = element_value(builder, place);
    if (check_dimensions(builder, place, leaf)) return element;
    checks_.require(builder, element, static_cast<std::uint64_t>(leaf.elements()),
                    fmt::format("this index may fall outside of '{}', which has {} elements; "
                                "size the array by the width of its index, or guard the access",
                                leaf.name, leaf.elements()));
    return element;
  }

  Place place_or_refuse(const llvm::Instruction& at, llvm::Value* pointer,
                        const Root** root) const {
    const Address address = decode(pointer, layout_);
    const auto found = roots_.find(address.base);
    if (found == roots_.end()) {
      if (llvm::isa_and_nonnull<llvm::GlobalVariable>(address.base)) {
        refuse(at,
               "this is a static or global variable, which is no register of this module; make "
               "it a member, or a constexpr that only constants index");
      }
      refuse(at,
             "this access is not to a register, a port or a local value whose place is known; "
             "index arrays with a loop variable or a constant, and keep no pointers");
    }
    *root = &found->second;
    const auto place = place_of(address, *found->second.leaves);
    if (!place) {
      if (instance_at(address, *found->second.leaves) >= 0) {
        refuse(at,
               "this reaches into a submodule's registers; pass what is needed through its "
               "ports");
      }
      refuse(at, "this access does not fall on one element; index with a loop variable");
    }
    return *place;
  }

  static void refuse_variable_port(const llvm::Instruction& access, const Place& place) {
    if (place.terms.empty()) return;
    refuse(access,
           "a port is picked by a variable index; copy the ports to an array of registers, "
           "or choose with a loop and ?:");
  }

  void lower_load(llvm::LoadInst& load) {
    if (llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(load.getPointerOperand(), 0))) return;
    const Root* root = nullptr;
    const Place place = place_or_refuse(load, load.getPointerOperand(), &root);
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
      llvm::Value* index = checked_element(load, builder, place, leaf);
      return emit_pick(builder, without_underscore(leaf.name), index, elements);
    }
    if (root.read == Operation::kReadPort) {
      // A port is the same all over the clock, so outputs may use it wherever it was read first.
      llvm::BasicBlock& entry = function_.getEntryBlock();
      builder.SetInsertPoint(
          &entry, last_port_ ? std::next(last_port_->getIterator()) : entry.getFirstInsertionPt());
    }
    llvm::CallInst* value =
        emit_operation(builder, root.read, builder.getIntNTy(leaf.width),
                       {leaf_constant(place.leaf), checked_element(load, builder, place, leaf)});
    if (root.read == Operation::kReadPort) last_port_ = value;
    value->setDebugLoc(load.getDebugLoc());
    builder.SetInsertPoint(&load);
    return value_in_memory(builder, value, leaf);
  }

  /// The elements that an access of several of them falls on; none where it cuts one.
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
    const Place place = place_or_refuse(store, pointer, &root);
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
    emit_operation(builder, root.write, nullptr,
                   {leaf_constant(place.leaf), checked_element(store, builder, place, leaf),
                    value_in_hardware(builder, value, leaf, checks_)});
  }

  /// A copy of raw memory, as clang makes of a struct or array of bools or enums, becomes one of
  /// its elements.
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
    const Address& known = roots_.count(to.base) != 0 ? to : from;
    const auto root = roots_.find(known.base);
    if (!size || root == roots_.end()) return;
    const std::vector<Leaf>& leaves = *root->second.leaves;
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

  /// Calls that are not lowered yet.
  std::vector<llvm::CallInst*> calls() {
    std::vector<llvm::CallInst*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* call = dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isIntrinsic() && !is_any_operation(*call)) found.push_back(call);
    }
    return found;
  }

  /// Calls visit(leaf, element, pointer) for every element of the value that `base` points to.
  template <typename Visit>
  static void for_each_part(llvm::IRBuilder<>& builder, const llvm::DIType* type, llvm::Value* base,
                            Visit visit) {
    const std::vector<Leaf> leaves = layout_of(strip_type(type));
    for_each_element(leaves, [&](const Leaf& leaf, std::int64_t element, std::int64_t offset) {
      llvm::Value* pointer = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base,
                                                                static_cast<std::uint64_t>(offset));
      visit(leaf, &leaf - leaves.data(), element, pointer);
    });
  }

  /// `void output_to(this, Result&)`.
  void lower_pipeline_output(llvm::CallInst& call) {
    const Root* root = nullptr;
    const Place place = place_or_refuse(call, call.getArgOperand(0), &root);
    const auto types = call.getCalledFunction()->getSubprogram()->getType()->getTypeArray();
    llvm::IRBuilder<> builder(&call);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    const auto read = [&](const Leaf& leaf, std::ptrdiff_t field, std::int64_t element,
                          llvm::Value* pointer) {
      llvm::Value* value =
          emit_operation(builder, Operation::kPipelineOutput, builder.getIntNTy(leaf.width),
                         {leaf_constant(place.leaf), element_value(builder, place),
                          leaf_constant(static_cast<int>(field)), builder.getInt64(element)});
      builder.CreateStore(value_in_memory(builder, value, leaf), pointer);
    };
    for_each_part(builder, types[2], call.getArgOperand(1), read);
    call.eraseFromParent();
  }

  /// `void clock(this, const Arguments&...)`, or clock_where(this, const UInt<kStages>& moves,
  /// ...).
  void lower_pipeline_clock(llvm::CallInst& call, bool where) {
    const Root* root = nullptr;
    const Place place = place_or_refuse(call, call.getArgOperand(0), &root);
    const auto types = call.getCalledFunction()->getSubprogram()->getType()->getTypeArray();
    llvm::IRBuilder<> builder(&call);
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    const PipelineUse use = pipeline_use(state_[place.leaf]);
    std::vector<llvm::Value*> arguments = {leaf_constant(place.leaf),
                                           element_value(builder, place)};
    if (!where) {
      arguments.push_back(
          llvm::ConstantInt::getAllOnesValue(builder.getIntNTy(static_cast<unsigned>(use.stages))));
    } else if (state_[place.leaf].elements() > 1) {
      refuse(call, fmt::format("the pipelines of '{}' stall one by one; only a lone pipeline can: "
                               "clock() each of them, or hold each in a module of its own",
                               state_[place.leaf].name));
    }
    const auto pass = [&](const Leaf& leaf, std::ptrdiff_t, std::int64_t, llvm::Value* pointer) {
      // As in memory; narrow_arguments() follows, where it can be proved that nothing is lost.
      arguments.push_back(builder.CreateLoad(builder.getIntNTy(leaf.memory_width()), pointer));
    };
    for (unsigned i = 1; i < call.arg_size(); ++i) {
      for_each_part(builder, types[i + 1], call.getArgOperand(i), pass);
    }
    emit_operation(builder, Operation::kPipelineClock, nullptr, arguments)
        ->setDebugLoc(call.getDebugLoc());
    if (module_) module_->pipelines[place.leaf] = use;
    call.eraseFromParent();
  }

  /// Gives pipelines the bits of an enum that hardware holds.
  void narrow_arguments() {
    std::vector<llvm::CallInst*> clocks;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (is_operation(instruction, Operation::kPipelineClock)) {
        clocks.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    for (llvm::CallInst* clock : clocks) {
      const llvm::Function* evaluate = function_.getParent()->getFunction(
          pipeline_use(state_[static_cast<std::size_t>(constant_argument(*clock, 0))]).function);
      const auto types = evaluate->getSubprogram()->getType()->getTypeArray();
      std::vector<llvm::Value*> arguments(clock->arg_begin(), clock->arg_end());
      llvm::IRBuilder<> builder(clock);
      std::size_t next = 3;
      for (unsigned i = 2; i < types.size(); ++i) {
        for (const Leaf& leaf : layout_of(strip_type(types[i]))) {
          for (std::int64_t element = 0; element < leaf.elements(); ++element, ++next) {
            arguments[next] = value_in_hardware(builder, arguments[next], leaf, checks_);
          }
        }
      }
      emit_operation(builder, Operation::kPipelineClock, nullptr, arguments)
          ->setDebugLoc(clock->getDebugLoc());
      clock->eraseFromParent();
    }
  }

  static PipelineUse pipeline_use(const Leaf& leaf) {
    const std::vector<std::int64_t> integers = template_integers(leaf.type);
    return {.function = method_of(leaf.type, "evaluate"),
            .stages = integers.empty() ? 1 : static_cast<int>(integers.back())};
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
        const int leaf = static_cast<int>(constant_argument(*call, 0));
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
  const std::vector<Leaf>& state_;
  LoweredModule* module_;
  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, Root> roots_;
  llvm::Instruction* last_port_ = nullptr;
  RangeChecks checks_;

 public:
  std::set<int> indexed_in_clock_;  ///< arrays that stay arrays because clock() indexes them
};

}  // namespace

void lower_pipelines(llvm::Function& function, LoweredModule& module) {
  Lowering lowering(function, module.state, &module);
  lowering.bind(function.getArg(function.hasStructRetAttr() ? 1 : 0), &module.state,
                Operation::kLoad, Operation::kStore);
  lowering.run_pipelines();
}

void lower_accesses(llvm::Function& function, LoweredModule& module) {
  Lowering lowering(function, module.state, &module);
  if (module.clock == &function) {
    lowering.bind(function.getArg(0), &module.outputs, Operation::kWritePort,
                  Operation::kWritePort);
    lowering.bind(function.getArg(1), &module.state, Operation::kLoad, Operation::kStore);
    lowering.bind(function.getArg(2), &module.inputs, Operation::kReadPort, Operation::kReadPort);
  } else {
    lowering.bind(function.getArg(0), &module.state, Operation::kLoad, Operation::kStore);
    for (const llvm::Instruction& instruction : llvm::instructions(*module.clock)) {
      if (!is_operation(instruction, Operation::kLoad) &&
          !is_operation(instruction, Operation::kStore)) {
        continue;
      }
      lowering.indexed_in_clock_.insert(
          static_cast<int>(constant_argument(llvm::cast<llvm::CallInst>(instruction), 0)));
    }
  }
  lowering.run();
}

void lower_function_accesses(llvm::Function& function, const LoweredFunction& lowered) {
  Lowering lowering(function, lowered.arguments, nullptr);
  lowering.bind(function.getArg(0), &lowered.result, Operation::kWritePort, Operation::kWritePort);
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
    lowering.bind(function.getArg(i + 1), &own[i], Operation::kReadPort, Operation::kReadPort);
  }
  lowering.run();
}

}  // namespace systole::compiler
