#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/prove/execute.h"
#include "hls/compiler/prove/globals.h"
#include "hls/compiler/prove/memory.h"

namespace systole::compiler {

/// The state of a run at a point of a function, and its path condition.
struct State {
  explicit State(Circuit& circuit) : memory(circuit) {}
  std::map<const llvm::Value*, Meaning> values;
  Memory memory;
  Signal path = kTrue;
  std::optional<Meaning> returned;
  bool is_dead = false;  ///< the rest is undefined
};

/// One instruction after the other, except calls of functions and terminators.
class Instructions {
 public:
  Instructions(Circuit& circuit, const llvm::DataLayout& layout)
      : circuit_(circuit), gates_(circuit), layout_(layout) {}

  void step(const llvm::Instruction& instruction, State& state);
  /// An operand's value, from the run or a constant.
  Meaning value(const llvm::Value& used, State& state);
  /// Records what must not happen here.
  void flag(Signal when, const std::string& what, const llvm::Instruction& instruction);

  int add_object(State& state, MemoryObject content);
  static Meaning pointer_to(int object);
  int newest_object() const { return objects_; }
  /// Removes a function's locals: the objects after `last`.
  void remove_locals(int last, State& state) const;

  std::vector<Undefined> undefined() { return std::move(undefined_); }

 private:
  void intrinsic(const llvm::IntrinsicInst& call, State& state);
  void block_operation(const llvm::IntrinsicInst& operation, State& state);
  void local(const llvm::AllocaInst& instruction, State& state);
  Meaning load(const llvm::LoadInst& instruction, State& state);
  struct Part {
    std::uint64_t offset = 0;
    llvm::Type* type = nullptr;
  };
  std::vector<Part> parts_of(llvm::Type& type) const;
  Meaning load_parts(const Meaning& pointer, llvm::Type& type, const llvm::Instruction& load,
                     State& state);
  void store(const llvm::StoreInst& instruction, State& state);
  void store_parts(const Meaning& pointer, const Meaning& stored, llvm::Type& type,
                   const llvm::Instruction& store, State& state);
  Meaning address(const llvm::GetElementPtrInst& element, State& state);
  Signal compare_pointers(const llvm::ICmpInst& test, State& state);
  Meaning moved(Meaning pointer, std::uint64_t bytes);
  std::vector<Bits> integers(const llvm::Instruction& instruction, State& state);
  Meaning unknown(const llvm::Type& type);

  Circuit& circuit_;
  Arithmetic gates_;
  const llvm::DataLayout& layout_;
  Globals globals_;
  std::vector<Undefined> undefined_;
  int objects_ = 0;
};

}  // namespace systole::compiler
