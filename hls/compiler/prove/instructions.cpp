#include "hls/compiler/prove/instructions.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>

#include "hls/compiler/prove/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

constexpr unsigned kPointerBits = 64;

void require_integer(const llvm::Type& type, const llvm::Instruction& instruction) {
  if (type.isIntegerTy()) return;
  refuse(instruction, "no proof covers a value that is no integer; use UInt, Int or bool");
}

Bits integer_constant(const llvm::ConstantInt& number) {
  Bits bits(number.getBitWidth());
  for (unsigned i = 0; i < bits.size(); ++i) bits[i] = number.getValue()[i] ? kTrue : kFalse;
  return bits;
}

}  // namespace

void Instructions::step(const llvm::Instruction& instruction, State& state) {
  if (const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    local(*alloca, state);
  } else if (const auto* read = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    state.values[read] = load(*read, state);
  } else if (const auto* write = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    store(*write, state);
  } else if (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
    state.values[element] = address(*element, state);
  } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    state.values[select] =
        choose(circuit_, value(*select->getCondition(), state).bits.at(0),
               value(*select->getTrueValue(), state), value(*select->getFalseValue(), state));
  } else if (const auto* extract = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    Meaning member = value(*extract->getAggregateOperand(), state);
    for (const unsigned index : extract->indices()) member = Meaning(member.members.at(index));
    state.values[extract] = member;
  } else if (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(&instruction)) {
    Meaning whole = value(*insert->getAggregateOperand(), state);
    Meaning* member = &whole;
    for (const unsigned index : insert->indices()) member = &member->members.at(index);
    *member = value(*insert->getInsertedValueOperand(), state);
    state.values[insert] = whole;
  } else if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    intrinsic(*call, state);
  } else if (const auto* test = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
             test && test->getOperand(0)->getType()->isPointerTy()) {
    state.values[test] = {.bits = {compare_pointers(*test, state)}};
  } else {
    const OperationResult result =
        integer_operation(instruction, integers(instruction, state), circuit_);
    flag(circuit_.both(state.path, result.undefined), result.what, instruction);
    state.values[&instruction] = {.bits = result.bits};
  }
}

int Instructions::add_object(State& state, MemoryObject content) {
  state.memory.add(++objects_, std::move(content));
  return objects_;
}

Meaning Instructions::pointer_to(int object) {
  return {.places = {{.object = object, .offset = Bits(kPointerBits, kFalse)}}};
}

void Instructions::remove_locals(int last, State& state) const {
  for (int object = last + 1; object <= objects_; ++object) {
    if (!globals_.owns(object)) state.memory.remove(object);
  }
}

void Instructions::local(const llvm::AllocaInst& instruction, State& state) {
  const auto size = instruction.getAllocationSize(layout_);
  if (!size) refuse(instruction, "a local array needs a constant length");
  MemoryObject content;
  if (!instruction.getAllocatedType()->isPointerTy()) {
    content.bits = circuit_.inputs(static_cast<unsigned>(8 * size->getFixedValue()));
  }
  state.values[&instruction] = pointer_to(add_object(state, std::move(content)));
}

void Instructions::intrinsic(const llvm::IntrinsicInst& call, State& state) {
  if (call.isLifetimeStartOrEnd() || llvm::isa<llvm::DbgInfoIntrinsic>(call) ||
      call.getIntrinsicID() == llvm::Intrinsic::experimental_noalias_scope_decl) {
    return;
  }
  if (call.getIntrinsicID() == llvm::Intrinsic::assume) {
    const Signal holds = value(*call.getArgOperand(0), state).bits[0];
    flag(circuit_.both(state.path, inverse(holds)), "an assumption that does not hold", call);
    return;
  }
  if (llvm::isa<llvm::AnyMemIntrinsic>(call)) {
    block_operation(call, state);
    return;
  }
  const OperationResult result = integer_intrinsic(call, integers(call, state), circuit_);
  flag(circuit_.both(state.path, result.undefined), result.what, call);
  Meaning meaning{.bits = result.bits};
  if (result.has_overflow) {
    meaning = {.members = {{.bits = result.bits}, {.bits = {result.overflow}}}};
  }
  state.values[&call] = std::move(meaning);
}

/// memcpy, memmove and memset of a constant length, a byte at a time; pointers are not copied.
void Instructions::block_operation(const llvm::IntrinsicInst& operation, State& state) {
  const Bits length = value(*operation.getArgOperand(2), state).bits;
  if (!Arithmetic::is_constant(length)) {
    refuse(operation, "this copies a variable number of bytes; assign the elements in a loop");
  }
  const Meaning target = value(*operation.getArgOperand(0), state);
  const Meaning source = value(*operation.getArgOperand(1), state);
  Signal outside = kFalse;
  std::vector<Bits> bytes(Arithmetic::constant_value(length));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = llvm::isa<llvm::AnyMemSetInst>(operation)
                   ? source.bits
                   : state.memory.load(moved(source, i), 8, outside);
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    state.memory.store(moved(target, i), bytes[i], outside);
  }
  flag(circuit_.both(state.path, outside), "a copy outside its object", operation);
}

/// The elements of a struct or array.
std::vector<Instructions::Part> Instructions::parts_of(llvm::Type& type) const {
  std::vector<Part> parts;
  if (auto* record = llvm::dyn_cast<llvm::StructType>(&type)) {
    const llvm::StructLayout* fields = layout_.getStructLayout(record);
    for (unsigned i = 0; i < record->getNumElements(); ++i) {
      parts.push_back({fields->getElementOffset(i), record->getElementType(i)});
    }
    return parts;
  }
  llvm::Type* element = type.getArrayElementType();
  const std::uint64_t stride = layout_.getTypeAllocSize(element);
  for (std::uint64_t i = 0; i < type.getArrayNumElements(); ++i) {
    parts.push_back({i * stride, element});
  }
  return parts;
}

Meaning Instructions::load(const llvm::LoadInst& instruction, State& state) {
  const Meaning pointer = value(*instruction.getPointerOperand(), state);
  if (instruction.isVolatile()) refuse(instruction, "no proof covers volatile; drop it");
  if (instruction.getType()->isPointerTy()) {
    const auto meaning = state.memory.load_pointer(pointer);
    if (!meaning) refuse(instruction, "no proof covers this pointer; use the value itself");
    return *meaning;
  }
  return load_parts(pointer, *instruction.getType(), instruction, state);
}

/// An integer, or integers side by side: clang passes 128 bits as two halves, and more as bytes.
Meaning Instructions::load_parts(const Meaning& pointer, llvm::Type& type,
                                 const llvm::Instruction& load, State& state) {
  Meaning meaning;
  if (!type.isSingleValueType()) {
    for (const Part& part : parts_of(type)) {
      meaning.members.push_back(load_parts(moved(pointer, part.offset), *part.type, load, state));
    }
    return meaning;
  }
  require_integer(type, load);
  Signal outside = kFalse;
  meaning.bits = state.memory.load(pointer, type.getIntegerBitWidth(), outside);
  flag(circuit_.both(state.path, outside), "an index outside its array", load);
  return meaning;
}

void Instructions::store(const llvm::StoreInst& instruction, State& state) {
  const Meaning pointer = value(*instruction.getPointerOperand(), state);
  const Meaning stored = value(*instruction.getValueOperand(), state);
  if (instruction.isVolatile()) refuse(instruction, "no proof covers volatile; drop it");
  if (instruction.getValueOperand()->getType()->isPointerTy()) {
    if (!state.memory.store_pointer(pointer, stored)) {
      refuse(instruction, "no proof covers this pointer; use the value itself");
    }
    return;
  }
  store_parts(pointer, stored, *instruction.getValueOperand()->getType(), instruction, state);
}

void Instructions::store_parts(const Meaning& pointer, const Meaning& stored, llvm::Type& type,
                               const llvm::Instruction& store, State& state) {
  if (!type.isSingleValueType()) {
    std::size_t i = 0;
    for (const Part& part : parts_of(type)) {
      store_parts(moved(pointer, part.offset), stored.members.at(i++), *part.type, store, state);
    }
    return;
  }
  require_integer(type, store);
  Signal outside = kFalse;
  state.memory.store(pointer, stored.bits, outside);
  flag(circuit_.both(state.path, outside), "an index outside its array", store);
}

Meaning Instructions::address(const llvm::GetElementPtrInst& element, State& state) {
  Meaning pointer = value(*element.getPointerOperand(), state);
  Bits offset(kPointerBits, kFalse);
  const llvm::Type* inside = nullptr;
  for (auto at = llvm::gep_type_begin(element); at != llvm::gep_type_end(element); ++at) {
    const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(inside);
    inside = at.getIndexedType();
    if (llvm::StructType* type = at.getStructTypeOrNull()) {
      const auto field = llvm::cast<llvm::ConstantInt>(at.getOperand())->getZExtValue();
      const auto bytes =
          layout_.getStructLayout(type)->getElementOffset(static_cast<unsigned>(field));
      offset = gates_.add(offset, Arithmetic::constant(bytes, kPointerBits));
      continue;
    }
    const Bits index = Arithmetic::extend(value(*at.getOperand(), state).bits, kPointerBits, true);
    if (array && !Arithmetic::is_constant(index)) {
      const Bits count = Arithmetic::constant(array->getNumElements(), kPointerBits);
      flag(circuit_.both(state.path, inverse(gates_.below(index, count))),
           "an index outside its array", element);
    }
    const auto stride = at.getSequentialElementStride(layout_).getFixedValue();
    offset = gates_.add(offset, gates_.multiply(index, Arithmetic::constant(stride, kPointerBits)));
  }
  for (Target& place : pointer.places) place.offset = gates_.add(place.offset, offset);
  return pointer;
}

/// Equality of two pointers, or its negation.
Signal Instructions::compare_pointers(const llvm::ICmpInst& test, State& state) {
  if (!test.isEquality()) refuse(test, "no proof covers an order of pointers; compare indices");
  Signal same = kFalse;
  for (const Target& a : value(*test.getOperand(0), state).places) {
    for (const Target& b : value(*test.getOperand(1), state).places) {
      if (a.object != b.object) continue;
      same = circuit_.either(same, circuit_.both(circuit_.both(a.condition, b.condition),
                                                 gates_.equal(a.offset, b.offset)));
    }
  }
  return test.getPredicate() == llvm::CmpInst::ICMP_EQ ? same : inverse(same);
}

Meaning Instructions::moved(Meaning pointer, std::uint64_t bytes) {
  for (Target& place : pointer.places) {
    place.offset = gates_.add(place.offset, Arithmetic::constant(bytes, kPointerBits));
  }
  return pointer;
}

std::vector<Bits> Instructions::integers(const llvm::Instruction& instruction, State& state) {
  std::vector<Bits> bits;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const unsigned count = call ? call->arg_size() : instruction.getNumOperands();
  for (unsigned i = 0; i < count; ++i) {
    require_integer(*instruction.getOperand(i)->getType(), instruction);
    bits.push_back(value(*instruction.getOperand(i), state).bits);
  }
  return bits;
}

Meaning Instructions::value(const llvm::Value& used, State& state) {
  if (const auto found = state.values.find(&used); found != state.values.end()) {
    return found->second;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&used)) {
    return {.bits = integer_constant(*number)};
  }
  if (llvm::isa<llvm::UndefValue>(used)) return unknown(*used.getType());
  if (llvm::isa<llvm::ConstantPointerNull>(used)) return {};
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(&used)) {
    const int object = globals_.object(*global, layout_, objects_);
    if (!state.memory.find(object)) state.memory.add(object, globals_.content(object));
    return pointer_to(object);
  }
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&used)) {
    llvm::APInt offset(kPointerBits, 0);
    const llvm::Value* base =
        expression->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true);
    if (llvm::isa<llvm::GlobalVariable>(base)) {
      return moved(value(*base, state), offset.getZExtValue());
    }
  }
  if (const auto* whole = llvm::dyn_cast<llvm::Constant>(&used);
      whole && !whole->getType()->isSingleValueType()) {
    Meaning meaning;
    for (unsigned i = 0; const llvm::Constant* element = whole->getAggregateElement(i); ++i) {
      meaning.members.push_back(value(*element, state));
    }
    return meaning;
  }
  throw Refusal("a value that is no integer has no meaning in a proof; use UInt, Int or bool");
}

/// An arbitrary value, on which no result may depend.
Meaning Instructions::unknown(const llvm::Type& type) {
  Meaning meaning;
  if (type.isIntegerTy()) meaning.bits = circuit_.inputs(type.getIntegerBitWidth());
  for (unsigned i = 0; type.isStructTy() && i < type.getStructNumElements(); ++i) {
    meaning.members.push_back(unknown(*type.getStructElementType(i)));
  }
  for (std::uint64_t i = 0; type.isArrayTy() && i < type.getArrayNumElements(); ++i) {
    meaning.members.push_back(unknown(*type.getArrayElementType()));
  }
  return meaning;
}

void Instructions::flag(Signal when, const std::string& what,
                        const llvm::Instruction& instruction) {
  if (when == kFalse) return;
  const std::string position = short_position(instruction.getDebugLoc());
  undefined_.push_back({when, position.empty() ? what : position + ": " + what});
}

}  // namespace systole::compiler
