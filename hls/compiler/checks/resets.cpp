#include "hls/compiler/checks/resets.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <set>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

[[noreturn]] void refuse_member(const std::string& position, const std::string& name,
                                const llvm::DICompositeType& parent) {
  throw Refusal(
      fmt::format("{}: nothing resets '{}': hardware would start with unknown registers there, "
                  "unlike C++; call its reset() in the reset() of {}",
                  position, name, parent.getName().str()));
}

/// Every function that `name` can reach.
std::set<llvm::StringRef> reached(const llvm::Module& program, const std::string& name) {
  std::set<llvm::StringRef> found;
  std::vector<const llvm::Function*> left;
  if (const llvm::Function* function = program.getFunction(name)) left.push_back(function);
  while (!left.empty()) {
    const llvm::Function* function = left.back();
    left.pop_back();
    if (!found.insert(function->getName()).second) continue;
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call && call->getCalledFunction()) left.push_back(call->getCalledFunction());
    }
  }
  return found;
}

class Lanes {
 public:
  Lanes(const llvm::DICompositeType& parent, std::set<llvm::StringRef> called)
      : parent_(parent), called_(std::move(called)) {}

  void walk(const llvm::DICompositeType& type) {
    for (const llvm::DINode* element : type.getElements()) {
      const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(element);
      if (!member || member->isStaticMember() || member->getTag() != llvm::dwarf::DW_TAG_member) {
        continue;
      }
      bool is_array = false;
      const llvm::DIType* inside = strip_type(member->getBaseType());
      const auto* composite = llvm::dyn_cast_or_null<llvm::DICompositeType>(inside);
      while (composite && composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
        is_array = true;
        composite =
            llvm::dyn_cast_or_null<llvm::DICompositeType>(strip_type(composite->getBaseType()));
      }
      if (!composite || composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) continue;
      const std::string reset = method_of(composite, "reset");
      if (method_of(composite, "clock").empty()) {
        walk(*composite);
      } else if (is_array && !reset.empty() && called_.count(reset) == 0) {
        refuse_member(source_position(*member), member->getName().str(), parent_);
      }
    }
  }

 private:
  const llvm::DICompositeType& parent_;
  std::set<llvm::StringRef> called_;
};

}  // namespace

void check_resets(const LoweredModule& module, const llvm::DICompositeType& type) {
  for (const auto& [index, instance] : module.instances) {
    const Leaf& leaf = module.state[index];
    if (!instance.is_reset && !method_of(leaf.type, "reset").empty()) {
      refuse_member(leaf.position, leaf.name, type);
    }
  }
}

void check_lanes_are_reset(const llvm::Module& program, const llvm::DICompositeType& type,
                           const std::string& reset) {
  Lanes(type, reached(program, reset)).walk(type);
}

}  // namespace systole::compiler
