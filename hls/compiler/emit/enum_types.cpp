#include "hls/compiler/emit/enum_types.h"

#include <fmt/format.h>
#include <llvm/ADT/APSInt.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cctype>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/reference.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// "kRunFast" or "RUN_FAST" of Mode -> "ModeRunFast", "ModeRUN_FAST"; "kModeFast" -> "ModeFast".
std::string enumerator_name(llvm::StringRef type, llvm::StringRef enumerator) {
  const bool marked = enumerator.size() > 1 && enumerator[0] == 'k' &&
                      std::isupper(static_cast<unsigned char>(enumerator[1])) != 0;
  std::string rest = (marked ? enumerator.drop_front() : enumerator).str();
  rest[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(rest[0])));
  return llvm::StringRef(rest).starts_with(type) ? rest : type.str() + rest;
}

/// The enum of the user's variable that holds the value, be it in more bits; null for another
/// variable or none.
const llvm::DICompositeType* enum_of(llvm::Instruction& instruction) {
  const llvm::DbgVariableRecord* record = variable_record(instruction);
  if (!record) return nullptr;
  for (const auto& step : record->getExpression()->expr_ops()) {
    const bool is_whole = step.getOp() == llvm::dwarf::DW_OP_LLVM_convert ||
                          step.getOp() == llvm::dwarf::DW_OP_stack_value;
    if (!is_whole) return nullptr;  // a part of it
  }
  const llvm::DIType* type = record->getVariable()->getType();
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    type = derived->getBaseType();  // const, a typedef
  }
  const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(type);
  const bool is_enum = composite && composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type;
  return is_enum && !composite->getName().empty() ? composite : nullptr;
}

/// The leaf that an operation reads or writes.
const Leaf* leaf_at(const LoweredModule& module, const llvm::Instruction& instruction) {
  const auto at = [](const std::vector<Leaf>& leaves, std::int64_t index) {
    return &leaves[static_cast<std::size_t>(index)];
  };
  if (is_operation(instruction, {Operation::kReadRegister, Operation::kWriteRegister,
                                 Operation::kLoad, Operation::kStore})) {
    return at(module.state, leaf_of(instruction));
  }
  if (is_operation(instruction, Operation::kReadPort)) {
    return at(module.inputs, leaf_of(instruction));
  }
  if (is_operation(instruction, Operation::kWritePort)) {
    return at(module.outputs, leaf_of(instruction));
  }
  const bool input = is_operation(instruction, Operation::kInstanceInput);
  if (input || is_operation(instruction, Operation::kInstanceOutput)) {
    const Instance& instance = module.instances.at(leaf_of(instruction));
    const auto field = constant_argument(instruction, 1);
    return at(input ? instance.inputs : instance.outputs, field);
  }
  return nullptr;
}

}  // namespace

EnumTypes::EnumTypes(const LoweredModule& module, Names& names) {
  add(module.inputs, names);
  add(module.outputs, names);
  add(module.state, names);
  for (const auto& [leaf, instance] : module.instances) {
    add(instance.inputs, names);
    add(instance.outputs, names);
  }
  for (llvm::Function* function : module.edges()) add_variables(*function, names);
  if (types_.empty()) return;
  for (llvm::Function* function : module.edges()) follow(module, *function);
}

void EnumTypes::add_variables(llvm::Function& function, Names& names) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::DICompositeType* type = enum_of(instruction);
    if (!type || !instruction.getType()->isIntegerTy()) continue;
    const unsigned width = width_of(instruction);
    if (types_.count(type) == 0) add(type, width, names);
    if (types_.at(type).width == width) values_.emplace(&instruction, type);
  }
}

void EnumTypes::add(const std::vector<Leaf>& leaves, Names& names) {
  for (const Leaf& leaf : leaves) {
    if (leaf.is_enum() && types_.count(leaf.type) == 0) add(leaf.type, leaf.width, names);
  }
}

void EnumTypes::add(const llvm::DICompositeType* type, unsigned width, Names& names) {
  Type made{
      .name = names.unique(snake_case(type->getName()) + "_e"), .width = width, .enumerators = {}};
  for (const llvm::DINode* element : type->getElements()) {
    const auto* one = llvm::cast<llvm::DIEnumerator>(element);
    const llvm::APSInt value(one->getValue(), one->isUnsigned());
    if (value.isNegative() ? value.getSignificantBits() > width : value.getActiveBits() > width) {
      continue;  // no value of these bits
    }
    const std::uint64_t bits = one->getValue().zextOrTrunc(width).getZExtValue();
    const bool is_alias = std::any_of(made.enumerators.begin(), made.enumerators.end(),
                                      [bits](const auto& other) { return other.second == bits; });
    if (is_alias) continue;  // SystemVerilog takes one name for a value
    made.enumerators.emplace_back(names.unique(enumerator_name(type->getName(), one->getName())),
                                  bits);
  }
  order_.push_back(type);
  types_.emplace(type, std::move(made));
}

/// A value is of an enum if it is read from or written to one, or selected from such values.
void EnumTypes::follow(const LoweredModule& module, llvm::Function& function) {
  const auto mark = [&](const llvm::Value* value, const llvm::DICompositeType* type) {
    return !llvm::isa<llvm::Constant>(value) && values_.emplace(value, type).second;
  };
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const Leaf* leaf = leaf_at(module, instruction);
    if (!leaf || !leaf->is_enum()) continue;
    const auto& call = llvm::cast<llvm::CallInst>(instruction);
    const bool reads = !instruction.getType()->isVoidTy();
    mark(reads ? &instruction : call.getArgOperand(call.arg_size() - 1), leaf->type);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool chooses = llvm::isa<llvm::SelectInst, llvm::PHINode>(instruction);
      const auto own = values_.find(&instruction);
      if (!chooses || own == values_.end()) continue;
      const unsigned first = llvm::isa<llvm::SelectInst>(instruction) ? 1 : 0;
      for (unsigned i = first; i < instruction.getNumOperands(); ++i) {
        changed = mark(instruction.getOperand(i), own->second) || changed;
      }
    }
  }
}

void EnumTypes::declare(sv::Statements& out) const {
  constexpr std::size_t kColumns = 96;  // two steps in
  if (!order_.empty()) out.line("// ---- Enums ----");
  for (const llvm::DICompositeType* key : order_) {
    const Type& type = types_.at(key);
    if (type.enumerators.empty()) continue;
    sv::Statements list;
    std::string together;
    for (std::size_t i = 0; i < type.enumerators.size(); ++i) {
      const auto& [name, bits] = type.enumerators[i];
      const std::string one =
          fmt::format("{} = {}{}", name, to_text(sv::literal_of(llvm::APInt(type.width, bits))),
                      i + 1 < type.enumerators.size() ? "," : "");
      if (!together.empty() && together.size() + 1 + one.size() > kColumns) {
        list.line(std::exchange(together, ""));
      }
      together += (together.empty() ? "" : " ") + one;
    }
    list.line(together);
    out.list(fmt::format("typedef enum {} {{", sv::logic_type(type.width)), list,
             fmt::format("}} {};", type.name));
    out.blank();
  }
}

std::string EnumTypes::enumerator(const llvm::DICompositeType* type,
                                  const llvm::APInt& bits) const {
  const auto found = types_.find(type);
  if (found == types_.end() || bits.getBitWidth() != found->second.width) return "";
  for (const auto& [name, value] : found->second.enumerators) {
    if (bits == value) return name;
  }
  return "";
}

std::string EnumTypes::enumerator(const llvm::Value& like, const llvm::APInt& bits) const {
  const auto found = values_.find(&like);
  return found == values_.end() ? "" : enumerator(found->second, bits);
}

std::string EnumTypes::enumerator(const Leaf& leaf, const llvm::APInt& bits) const {
  return leaf.is_enum() ? enumerator(leaf.type, bits) : "";
}

}  // namespace systole::compiler
