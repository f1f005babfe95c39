#include "hls/compiler/passes/expand_picks.h"

#include <fmt/format.h>
#include <llvm/Analysis/InstructionSimplify.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ValueHandle.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/checks/range_checks.h"
#include "hls/compiler/ir/picks.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/rounds.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

/// More inputs than this are a memory, not a multiplexer.
constexpr std::int64_t kMostElements = 1024;
/// More elements than this make no readable table.
constexpr std::int64_t kMostConstants = 65536;

/// The array of this element size behind an untyped index: the shortest, so that an index proved
/// below its length is inside any of them.
std::int64_t count_inside(llvm::Type* type, std::int64_t stride, const llvm::DataLayout& layout) {
  std::int64_t count = 0;
  const auto take = [&](std::int64_t one) {
    if (one > 0) count = count == 0 ? one : std::min(count, one);
  };
  if (auto* array = dyn_cast<llvm::ArrayType>(type)) {
    llvm::Type* element = array->getElementType();
    if (static_cast<std::int64_t>(layout.getTypeAllocSize(element).getFixedValue()) == stride) {
      take(static_cast<std::int64_t>(array->getNumElements()));
    }
    take(count_inside(element, stride, layout));
  } else if (auto* structure = dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* element : structure->elements()) take(count_inside(element, stride, layout));
  }
  return count;
}

/// "_step" for a byte of the member `step` of an array of structs; "" without a member.
std::string member_at(const llvm::DIType* type, std::uint64_t bit) {
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(strip_type(type));
  if (!composite || is_type_layer(composite->getFilename())) return "";
  if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
    const llvm::DIType* element = strip_type(composite->getBaseType());
    return element && element->getSizeInBits() > 0
               ? member_at(element, bit % element->getSizeInBits())
               : "";
  }
  for (const llvm::DINode* node : composite->getElements()) {
    const auto* member = dyn_cast<llvm::DIDerivedType>(node);
    if (!member || member->isStaticMember() || bit < member->getOffsetInBits()) continue;
    const std::uint64_t inside = bit - member->getOffsetInBits();
    if (member->getTag() != llvm::dwarf::DW_TAG_member || inside >= member->getSizeInBits()) {
      continue;
    }
    return "_" + member->getName().str() + member_at(member->getBaseType(), inside);
  }
  return "";
}

/// The source's name of a local variable or constant, with the member at the byte.
std::string name_of(llvm::Value& base, std::int64_t byte) {
  const auto bit = 8 * static_cast<std::uint64_t>(byte);
  if (auto* global = dyn_cast<llvm::GlobalVariable>(&base)) {
    llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
    global->getDebugInfo(described);
    if (described.empty()) return "table";
    const llvm::DIGlobalVariable* variable = described[0]->getVariable();
    return variable->getName().str() + member_at(variable->getType(), bit);
  }
  for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&base)) {
    const llvm::DILocalVariable* variable = record->getVariable();
    return variable->getName().str() + member_at(variable->getType(), bit);
  }
  return base.getName().split('.').first.str();
}

class Expander {
 public:
  Expander(llvm::Function& function, RangeChecks& checks)
      : function_(function), checks_(checks), layout_(function.getParent()->getDataLayout()) {}

  bool run() {
    bool changed = false;
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function_))) {
      if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
        changed = expand(*load, load->getPointerOperand()) || changed;
      } else if (auto* store = dyn_cast<llvm::StoreInst>(&instruction)) {
        changed = expand(*store, store->getPointerOperand()) || changed;
      }
    }
    return changed;
  }

 private:
  /// An access's place: constant bytes, and an index with its count for each variable step.
  struct Step {
    llvm::Value* index = nullptr;
    std::int64_t stride = 0;
    std::int64_t count = 0;
  };
  struct Access {
    llvm::Value* base = nullptr;
    std::int64_t byte = 0;
    std::vector<Step> steps;
    std::int64_t elements = 1;
  };

  bool expand(llvm::Instruction& instruction, llvm::Value* pointer) {
    const Address address = decode(pointer, layout_);
    auto* base = const_cast<llvm::Value*>(address.base);
    auto* table = dyn_cast<llvm::GlobalVariable>(base);
    auto* local = dyn_cast<llvm::AllocaInst>(base);
    const bool constant = table && table->isConstant() && table->hasDefinitiveInitializer();
    if (!local && !constant) return false;
    Access access{.base = base, .byte = address.field_bytes, .steps = {}};
    llvm::Type* type = local ? local->getAllocatedType() : table->getValueType();
    for (const Address::Index& index : address.indices) {
      if (!index.value) {
        access.byte += index.constant * index.stride_bytes;
        continue;
      }
      const std::int64_t count =
          index.count > 0 ? index.count : count_inside(type, index.stride_bytes, layout_);
      if (count == 0) return false;
      access.steps.push_back({index.value, index.stride_bytes, count});
      access.elements *= count;
    }
    if (local && access.steps.empty()) return false;
    std::reverse(access.steps.begin(), access.steps.end());  // the outermost first, as C++ has it
    const std::int64_t most = local ? kMostElements : kMostConstants;
    if (access.elements > most) {
      refuse(instruction, fmt::format("'{}' has {} elements, more than the {} that one clock can "
                                      "choose from; make it a Ram",
                                      name_of(*base, 0), access.elements, most));
    }
    if (auto* load = dyn_cast<llvm::LoadInst>(&instruction)) {
      if (!load->getType()->isIntegerTy()) return false;
      read(*load, access, table);
      return true;
    }
    if (local) write(llvm::cast<llvm::StoreInst>(instruction), access);
    return local != nullptr;
  }

  /// The element's number over all steps.
  llvm::Value* index_of(llvm::IRBuilder<>& builder, const Access& access) {
    llvm::Value* whole = builder.getInt64(0);
    for (const Step& step : access.steps) {
      llvm::Value* index = builder.CreateSExtOrTrunc(step.index, builder.getInt64Ty());
      checks_.require(builder, index, static_cast<std::uint64_t>(step.count),
                      fmt::format("this index may fall outside of '{}', which has {} elements; "
                                  "size the array by the width of its index, or guard the access",
                                  name_of(*access.base, access.byte), step.count));
      whole = &step == &access.steps.front()
                  ? index
                  : builder.CreateNUWAdd(
                        builder.CreateNUWMul(
                            whole, builder.getInt64(static_cast<std::uint64_t>(step.count))),
                        index);
    }
    return whole;
  }

  std::int64_t byte_of(const Access& access, std::int64_t element) const {
    std::int64_t byte = access.byte;
    for (auto step = access.steps.rbegin(); step != access.steps.rend(); ++step) {
      byte += element % step->count * step->stride;
      element /= step->count;
    }
    return byte;
  }

  llvm::Value* pointer_to(llvm::IRBuilder<>& builder, const Access& access,
                          std::int64_t element) const {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), access.base,
                                              static_cast<std::uint64_t>(byte_of(access, element)));
  }

  void read(llvm::LoadInst& load, const Access& access, const llvm::GlobalVariable* table) {
    llvm::IRBuilder<> builder(&load);
    std::vector<llvm::Value*> elements;
    for (std::int64_t element = 0; element < access.elements; ++element) {
      elements.push_back(table ? static_cast<llvm::Value*>(llvm::ConstantInt::get(
                                     load.getContext(),
                                     constant_at(*table, byte_of(access, element), width_of(load))))
                               : static_cast<llvm::Value*>(builder.CreateLoad(
                                     load.getType(), pointer_to(builder, access, element))));
    }
    llvm::Value* value = elements[0];
    if (!access.steps.empty()) {
      value = emit_pick(builder, name_of(*access.base, access.byte), index_of(builder, access),
                        elements);
    }
    if (!llvm::isa<llvm::Constant>(value)) value->takeName(&load);
    load.replaceAllUsesWith(value);
    load.eraseFromParent();
  }

  void write(llvm::StoreInst& store, const Access& access) {
    llvm::IRBuilder<> builder(&store);
    llvm::Value* index = index_of(builder, access);
    for (std::int64_t element = 0; element < access.elements; ++element) {
      llvm::Value* pointer = pointer_to(builder, access, element);
      llvm::Value* before = builder.CreateLoad(store.getValueOperand()->getType(), pointer);
      llvm::Value* here =
          builder.CreateICmpEQ(index, builder.getInt64(static_cast<std::uint64_t>(element)));
      builder.CreateStore(builder.CreateSelect(here, store.getValueOperand(), before), pointer);
    }
    store.eraseFromParent();
  }

  llvm::Function& function_;
  RangeChecks& checks_;
  const llvm::DataLayout& layout_;
};

}  // namespace

bool fold_picks(llvm::Function& function) {
  std::vector<llvm::WeakVH> picks;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (as_pick(instruction)) picks.emplace_back(&instruction);
  }
  bool any = false;
  // In order, so that an element which is a later pick's index folds that one as well.
  for (const llvm::WeakVH& one : picks) {
    auto* pick = llvm::dyn_cast_or_null<llvm::CallInst>(one);
    const auto* index = pick ? dyn_cast<llvm::ConstantInt>(pick->getArgOperand(0)) : nullptr;
    if (!index || index->getZExtValue() + 1 >= pick->arg_size()) continue;
    llvm::Value* element = pick->getArgOperand(static_cast<unsigned>(index->getZExtValue()) + 1);
    llvm::replaceAndRecursivelySimplify(pick, element);
    if (one) pick->eraseFromParent();
    any = true;
  }
  return any;
}

bool expand_picks(llvm::Function& function, RangeChecks& checks) {
  return Expander(function, checks).run();
}

void expand_all_picks(llvm::Function& function) {
  RangeChecks checks;
  Rounds rounds("expand_picks", function);
  for (; expand_picks(function, checks); rounds.next()) tidy(function);
  checks.settle(function);
}

}  // namespace systole::compiler
