#include "hls/compiler/dataflow/process_trace.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

using llvm::Constant;
using llvm::Instruction;

/// A clocked module in three-valued logic; null is unknown.
class Run {
 public:
  explicit Run(const Machine& machine)
      : machine_(machine), layout_(machine.module.clock->getParent()->getDataLayout()) {
    for (const Instruction& instruction : llvm::instructions(*machine.module.clock)) {
      order_.push_back(&instruction);
    }
    for (const Instruction& instruction : llvm::instructions(*machine.module.reset)) {
      if (is_operation(instruction, Operation::kWriteRegister)) {
        state_[leaf_of(instruction)] = llvm::cast<Constant>(instruction.getOperand(2));
      }
    }
    for (const Instruction* instruction : order_) {
      if (is_operation(*instruction, Operation::kWritePort) &&
          machine.module.outputs[static_cast<std::size_t>(leaf_of(*instruction))].name == "done") {
        done_ = leaf_of(*llvm::cast<Instruction>(instruction->getOperand(2)));
      }
    }
    for (const auto& [leaf, cell] : machine.cells) {
      if (cell.name == "systole_register_slice") add_stream(leaf);
    }
  }

  ProcessTrace run() {
    constexpr std::size_t kMostSteps = 40'000'000;
    constexpr std::size_t kMostStreams = 64;
    if (trace_.streams.size() > kMostStreams) return {};
    for (std::size_t clock = 0; clock * order_.size() < kMostSteps; ++clock) {
      std::uint64_t moved = 0;
      if (!step(clock == 0, moved)) return {};
      if (clock > 0) trace_.clocks.push_back(moved);
      const auto* done = llvm::dyn_cast_or_null<llvm::ConstantInt>(state_[done_]);
      if (!done) return {};
      if (done->isOne()) {
        trace_.is_known = true;
        return std::move(trace_);
      }
    }
    return {};
  }

 private:
  /// One edge; false if it is not known which streams it moves.
  bool step(bool starts, std::uint64_t& moved) {
    std::map<int, Constant*> next = state_;
    starts_ = starts;
    values_.clear();
    for (const Instruction* instruction : order_) {
      if (is_operation(*instruction, Operation::kWriteRegister)) {
        next[leaf_of(*instruction)] = value(instruction->getOperand(2));
      } else if (is_operation(*instruction, Operation::kInstanceInput)) {
        if (!note_transfer(*instruction, moved)) return false;
      } else if (is_operation(*instruction, Operation::kWritePort)) {
        note_output(*instruction);
      } else if (!instruction->getType()->isVoidTy()) {
        if (Constant* known = evaluate(*instruction)) values_[instruction] = known;
      }
    }
    state_ = std::move(next);
    note_writes();
    return true;
  }

  void note_output(const Instruction& write) {
    const std::string& port =
        machine_.module.outputs[static_cast<std::size_t>(leaf_of(write))].name;
    for (const char* part : {kEnable, kAddress}) {
      if (!port.ends_with(part)) continue;
      const std::string array = port.substr(0, port.size() - std::strlen(part));
      (part == kEnable ? enables_ : addresses_)[array] =
          llvm::dyn_cast_or_null<llvm::ConstantInt>(value(write.getOperand(2)));
    }
  }

  void note_writes() {
    for (const auto& [array, enable] : enables_) {
      const llvm::ConstantInt* address = addresses_[array];
      if (enable && enable->isOne() && address) {
        trace_.written[array].insert(address->getZExtValue());
      }
    }
  }

  /// A stream's slice, and which of its inputs the machine drives: the other side is a port.
  void add_stream(int leaf) {
    const std::string& name = machine_.module.state[static_cast<std::size_t>(leaf)].name;
    const bool pushes = std::ranges::any_of(
        machine_.module.outputs, [&](const Leaf& one) { return one.name == name + "_valid"; });
    ends_[leaf] = {pushes ? "push_valid" : "pop_ready", trace_.streams.size()};
    trace_.streams.push_back(name);
  }

  bool note_transfer(const Instruction& drive, std::uint64_t& moved) {
    const auto end = ends_.find(leaf_of(drive));
    if (end == ends_.end()) return true;
    const Instance& instance = machine_.module.instances.at(end->first);
    const auto field = static_cast<std::size_t>(constant_argument(drive, 1));
    if (instance.inputs[field].name != end->second.field) return true;
    const auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(value(drive.getOperand(3)));
    if (!known) return false;
    if (known->isOne()) moved |= std::uint64_t{1} << end->second.bit;
    return true;
  }

  Constant* value(llvm::Value* of) {
    if (auto* constant = llvm::dyn_cast<Constant>(of)) return constant;
    const auto found = values_.find(of);
    return found == values_.end() ? nullptr : found->second;
  }

  Constant* evaluate(const Instruction& instruction) {
    if (is_any_operation(instruction)) return read(instruction);
    if (Constant* known = decided(instruction)) return known;
    std::vector<Constant*> operands;
    for (llvm::Value* operand : instruction.operands()) {
      if (llvm::isa<llvm::Function>(operand)) {
        operands.push_back(llvm::cast<Constant>(operand));
        continue;
      }
      Constant* known = value(operand);
      if (!known) return nullptr;
      operands.push_back(known);
    }
    return llvm::ConstantFoldInstOperands(const_cast<Instruction*>(&instruction), operands,
                                          layout_);
  }

  /// What one known operand decides.
  Constant* decided(const Instruction& instruction) {
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      Constant* then = value(const_cast<llvm::Value*>(select->getTrueValue()));
      Constant* otherwise = value(const_cast<llvm::Value*>(select->getFalseValue()));
      const auto* condition = llvm::dyn_cast_or_null<llvm::ConstantInt>(
          value(const_cast<llvm::Value*>(select->getCondition())));
      if (!condition) return then == otherwise ? then : nullptr;
      return condition->isOne() ? then : otherwise;
    }
    const bool is_and = instruction.getOpcode() == Instruction::And;
    if (!is_and && instruction.getOpcode() != Instruction::Or) return nullptr;
    for (llvm::Value* operand : instruction.operands()) {
      Constant* known = value(operand);
      if (known && (is_and ? known->isNullValue() : known->isAllOnesValue())) return known;
    }
    return nullptr;
  }

  Constant* read(const Instruction& operation) {
    llvm::Type* type = operation.getType();
    if (is_operation(operation, Operation::kReadRegister)) {
      const auto found = state_.find(leaf_of(operation));
      return found == state_.end() ? nullptr : found->second;
    }
    if (is_operation(operation, Operation::kReadPort)) {
      const Leaf& port = machine_.module.inputs[static_cast<std::size_t>(leaf_of(operation))];
      return port.name == "start" ? llvm::ConstantInt::get(type, starts_ ? 1 : 0) : nullptr;
    }
    if (is_operation(operation, Operation::kInstanceOutput) &&
        ends_.count(leaf_of(operation)) != 0) {
      const Instance& instance = machine_.module.instances.at(leaf_of(operation));
      const std::string& field =
          instance.outputs[static_cast<std::size_t>(constant_argument(operation, 1))].name;
      if (field != "pop_data") return llvm::ConstantInt::get(type, 1);
    }
    return nullptr;
  }

  const Machine& machine_;
  const llvm::DataLayout& layout_;
  std::vector<const Instruction*> order_;
  std::map<int, Constant*> state_;
  std::map<const llvm::Value*, Constant*> values_;
  struct End {
    std::string field;
    std::size_t bit = 0;
  };
  std::map<int, End> ends_;  ///< by the slice
  ProcessTrace trace_;
  static constexpr const char* kEnable = "_write_enable";
  static constexpr const char* kAddress = "_write_address";
  std::map<std::string, const llvm::ConstantInt*> enables_;  ///< of arrays, in this clock
  std::map<std::string, const llvm::ConstantInt*> addresses_;
  int done_ = -1;
  bool starts_ = false;
};

}  // namespace

std::int64_t ProcessTrace::moved(const std::string& stream) const {
  std::int64_t sum = 0;
  for (std::size_t s = 0; s < streams.size(); ++s) {
    if (streams[s] != stream) continue;
    for (const std::uint64_t one : clocks) sum += static_cast<std::int64_t>(one >> s & 1);
  }
  return sum;
}

ProcessTrace trace_machine(const Machine& machine) { return Run(machine).run(); }

}  // namespace systole::compiler
