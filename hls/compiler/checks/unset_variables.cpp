#include "hls/compiler/checks/unset_variables.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "hls/compiler/frontend/stream_types.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

constexpr const char* kUnset = "hls.unset.";
constexpr const char* kPlace = "hlsc-place";
constexpr const char* kName = "hlsc-name";

/// A part of a variable that C++ leaves without a value.
struct Part {
  std::uint64_t byte = 0;
  unsigned bits = 0;  ///< of its value
  unsigned memory_bits = 0;
};

class Parts {
 public:
  std::vector<Part> of(const llvm::DIType* type) {
    add(type, 0);
    return parts_.size() > kMostParts ? std::vector<Part>() : parts_;
  }

 private:
  static constexpr std::size_t kMostParts =
      1024;  // an array that is no memory has as many elements

  void add(const llvm::DIType* type, std::uint64_t byte) {
    if (!type || parts_.size() > kMostParts) return;
    if (const auto* basic = dyn_cast<llvm::DIBasicType>(type)) return add_basic(*basic, byte);
    if (const auto* derived = dyn_cast<llvm::DIDerivedType>(type)) {
      switch (derived->getTag()) {
        case llvm::dwarf::DW_TAG_typedef:
        case llvm::dwarf::DW_TAG_const_type:
          return add(derived->getBaseType(), byte);
        default:
          return;  // a pointer or reference
      }
    }
    const auto* composite = dyn_cast<llvm::DICompositeType>(type);
    if (!composite) return;
    switch (composite->getTag()) {
      case llvm::dwarf::DW_TAG_enumeration_type:
        return add_integer(composite->getSizeInBits(), composite->getSizeInBits(), byte);
      case llvm::dwarf::DW_TAG_array_type:
        return add_array(*composite, byte);
      case llvm::dwarf::DW_TAG_structure_type:
      case llvm::dwarf::DW_TAG_class_type:
        return add_members(*composite, byte);
      default:
        return;
    }
  }

  void add_basic(const llvm::DIBasicType& type, std::uint64_t byte) {
    switch (type.getEncoding()) {
      case llvm::dwarf::DW_ATE_boolean:
        return add_integer(1, type.getSizeInBits(), byte);
      case llvm::dwarf::DW_ATE_signed:
      case llvm::dwarf::DW_ATE_unsigned:
      case llvm::dwarf::DW_ATE_signed_char:
      case llvm::dwarf::DW_ATE_unsigned_char:
        return add_integer(type.getSizeInBits(), type.getSizeInBits(), byte);
      default:
        return;
    }
  }

  void add_integer(std::uint64_t bits, std::uint64_t memory_bits, std::uint64_t byte) {
    parts_.push_back({byte, static_cast<unsigned>(bits), static_cast<unsigned>(memory_bits)});
  }

  void add_array(const llvm::DICompositeType& array, std::uint64_t byte) {
    const llvm::DIType* element = array.getBaseType();
    if (!element || element->getSizeInBits() == 0) return;
    const std::uint64_t bytes = element_bytes(*element);
    for (std::uint64_t at = 0; at + bytes <= array.getSizeInBits() / 8; at += bytes) {
      if (parts_.size() > kMostParts) return;
      add(element, byte + at);
    }
  }

  static std::uint64_t element_bytes(const llvm::DIType& type) { return type.getSizeInBits() / 8; }

  /// Members of the user's own structs. UInt and Int are zero at first, and a class of the library
  /// sees to its members itself.
  void add_members(const llvm::DICompositeType& record, std::uint64_t byte) {
    if (is_library(record.getFilename()) && !is_array_of_elements(&record)) return;
    for (const llvm::DINode* node : record.getElements()) {
      const auto* member = dyn_cast<llvm::DIDerivedType>(node);
      const bool is_part = member && (member->getTag() == llvm::dwarf::DW_TAG_member ||
                                      member->getTag() == llvm::dwarf::DW_TAG_inheritance);
      if (!is_part || member->isStaticMember() || member->isBitField()) continue;
      add(member->getBaseType(), byte + member->getOffsetInBits() / 8);
    }
  }

  std::vector<Part> parts_;
};

class Marker {
 public:
  explicit Marker(llvm::Module& program) : program_(program) {}

  void mark(llvm::Function& function) {
    std::vector<std::pair<llvm::Value*, llvm::DbgVariableRecord*>> declared;
    const auto find = [&](llvm::Value& place) {
      for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(&place)) {
        const bool is_whole = record->getExpression()->getNumElements() == 0;
        if (is_whole && !record->getVariable()->isParameter())
          declared.emplace_back(&place, record);
      }
    };
    for (llvm::Argument& argument : function.args()) find(argument);
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (llvm::isa<llvm::AllocaInst>(instruction)) find(instruction);
    }
    for (const auto& [place, record] : declared) mark(*place, *record);
  }

 private:
  void mark(llvm::Value& place, llvm::DbgVariableRecord& record) {
    llvm::Instruction* next = record.getMarker()->MarkedInstr;
    if (!next || is_set_at_once(place, *next)) return;
    const llvm::DILocalVariable& variable = *record.getVariable();
    const std::vector<Part> parts = Parts().of(variable.getType());
    if (parts.empty()) return;
    llvm::IRBuilder<> builder(next);
    builder.SetCurrentDebugLocation(record.getDebugLoc());
    for (const Part& part : parts) {
      llvm::Value* value = builder.CreateCall(unset(part.bits, variable, record.getDebugLoc()));
      value = builder.CreateZExt(value, builder.getIntNTy(part.memory_bits));
      llvm::Value* at = part.byte == 0 ? &place
                                       : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                                            &place, part.byte);
      builder.CreateAlignedStore(value, at, llvm::Align(1));
    }
    ++count_;
  }

  /// Whether a variable's initialiser stands right after its declaration.
  static bool is_set_at_once(const llvm::Value& place, const llvm::Instruction& from) {
    for (const llvm::Instruction* one = &from; one; one = one->getNextNode()) {
      const auto* store = dyn_cast<llvm::StoreInst>(one);
      if (store && store->getPointerOperand() == &place) return true;
      for (const llvm::Value* operand : one->operands()) {
        if (operand == &place) return false;
      }
    }
    return false;
  }

  llvm::FunctionCallee unset(unsigned bits, const llvm::DILocalVariable& variable,
                             const llvm::DebugLoc& place) {
    llvm::Type* type = llvm::Type::getIntNTy(program_.getContext(), bits);
    llvm::FunctionCallee callee = program_.getOrInsertFunction(
        fmt::format("{}{}.i{}", kUnset, count_, bits), llvm::FunctionType::get(type, false));
    auto& function = *llvm::cast<llvm::Function>(callee.getCallee());
    function.setDoesNotThrow();
    function.setWillReturn();
    function.setMemoryEffects(llvm::MemoryEffects::none());
    function.addFnAttr(llvm::Attribute::Speculatable);
    function.addFnAttr(kName, variable.getName());
    function.addFnAttr(
        kPlace, fmt::format("{}:{}:{}", path_of(variable.getDirectory(), variable.getFilename()),
                            variable.getLine(), place.getCol()));
    return callee;
  }

  llvm::Module& program_;
  int count_ = 0;
};

}  // namespace

void mark_unset_variables(llvm::Module& program) {
  Marker marker(program);
  for (llvm::Function& function : program) {
    const llvm::DISubprogram* source = function.getSubprogram();
    if (function.isDeclaration() || !source || is_library(source->getFilename())) continue;
    marker.mark(function);
  }
}

bool is_unset(const llvm::Value& value) {
  const auto* call = dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with(kUnset);
}

bool stores_unset(const llvm::Instruction& instruction) {
  const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
  if (!store) return false;
  const auto* wider = dyn_cast<llvm::ZExtInst>(store->getValueOperand());
  return is_unset(wider ? *wider->getOperand(0) : *store->getValueOperand());
}

void refuse_unset(const llvm::Instruction& instruction) {
  if (!is_unset(instruction)) return;
  const llvm::Function* callee = llvm::cast<llvm::CallInst>(instruction).getCalledFunction();
  throw Refusal(
      fmt::format("{}: '{}' is used on a way where nothing has set it; give it a value "
                  "here, or set it on every way to its use",
                  callee->getFnAttribute(kPlace).getValueAsString().str(),
                  callee->getFnAttribute(kName).getValueAsString().str()));
}

}  // namespace systole::compiler
