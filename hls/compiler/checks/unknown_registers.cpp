#include "hls/compiler/checks/unknown_registers.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/rounds.h"

namespace systole::compiler {
namespace {

class UnknownRegisters {
 public:
  explicit UnknownRegisters(const LoweredModule& module) : module_(module) {
    for (const llvm::Instruction& instruction : llvm::instructions(*module.clock)) {
      collect(instruction);
    }
    if (module.reset) {
      for (const llvm::Instruction& instruction : llvm::instructions(*module.reset)) {
        if (is_write(instruction)) known_.insert(leaf_of(instruction));
      }
    }
  }

  void check() {
    Rounds rounds("check_unknown_registers", *module_.clock);
    while (learn()) rounds.next();
    for (const int leaf : read_) {
      if (known_.count(leaf) != 0) continue;
      const Leaf& one = module_.state[leaf];
      if (writes_.count(leaf) == 0) {
        throw Refusal(fmt::format(
            "{}: '{}' is read, but nothing writes it: it has its initial value in C++ and is "
            "unknown in hardware; set it in reset(), or make it a static constexpr",
            one.position, one.name));
      }
      throw Refusal(fmt::format(
          "{}: '{}' always depends on its own last value, and nothing resets it: it has its "
          "initial value in C++ and stays unknown in hardware; set it in reset()",
          one.position, one.name));
    }
  }

 private:
  static bool is_write(const llvm::Instruction& instruction) {
    return is_operation(instruction, Operation::kWriteRegister) ||
           is_operation(instruction, Operation::kStore);
  }
  static bool is_read(const llvm::Instruction& instruction) {
    return is_operation(instruction, Operation::kReadRegister) ||
           is_operation(instruction, Operation::kLoad);
  }

  void collect(const llvm::Instruction& instruction) {
    if (is_write(instruction)) {
      writes_[leaf_of(instruction)].push_back(
          llvm::cast<llvm::CallInst>(instruction).getArgOperand(2));
    } else if (is_read(instruction) && matters(instruction)) {
      read_.insert(leaf_of(instruction));
    }
  }

  /// Whether a read does more than keep the register's own value.
  static bool matters(const llvm::Instruction& read) {
    return std::any_of(read.user_begin(), read.user_end(), [&](const llvm::User* user) {
      const auto* one = llvm::cast<llvm::Instruction>(user);
      return !(is_write(*one) && leaf_of(*one) == leaf_of(read));
    });
  }

  /// Adds registers that can be set from known values; whether there were any.
  bool learn() {
    visited_.clear();
    const std::size_t before = known_.size() + known_values_.size();
    for (const auto& [leaf, values] : writes_) {
      if (known_.count(leaf) == 0 && std::any_of(values.begin(), values.end(), can_be_known_)) {
        known_.insert(leaf);
      }
    }
    return known_.size() + known_values_.size() != before;
  }

  /// Whether some inputs determine the value whatever unknown registers hold. Errs towards yes: an
  /// `and` or a product can be 0, a select or a maximum can take its known side.
  bool can_be_known(const llvm::Value* value) {
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || known_values_.count(value) != 0) return true;
    if (!visited_.insert(value).second) return false;  // maybe in the next round
    if (!depends_on_known(*instruction)) return false;
    known_values_.insert(value);
    return true;
  }

  bool depends_on_known(const llvm::Instruction& instruction) {
    if (is_read(instruction)) return known_.count(leaf_of(instruction)) != 0;
    if (is_any_operation(instruction)) return true;
    const auto begin = instruction.op_begin();
    const auto end = instruction.op_end();
    switch (instruction.getOpcode()) {
      case llvm::Instruction::And:
      case llvm::Instruction::Or:
      case llvm::Instruction::Mul:
      case llvm::Instruction::PHI:
        return std::any_of(begin, end, can_be_known_);
      case llvm::Instruction::Select:
        return std::any_of(begin + 1, end, can_be_known_);
      case llvm::Instruction::Call:  // a minimum or a maximum can be its other side
        return llvm::isa<llvm::MinMaxIntrinsic>(instruction)
                   ? std::any_of(begin, begin + 2, can_be_known_)
                   : std::all_of(begin, end, can_be_known_);
      default:
        return std::all_of(begin, end, can_be_known_);
    }
  }

  const LoweredModule& module_;
  std::map<int, std::vector<const llvm::Value*>> writes_;
  std::set<int> read_;
  std::set<int> known_;
  std::set<const llvm::Value*> known_values_;
  std::set<const llvm::Value*> visited_;  ///< in this round
  std::function<bool(const llvm::Value*)> can_be_known_ = [this](const llvm::Value* value) {
    return can_be_known(value);
  };
};

}  // namespace

void check_unknown_registers(const LoweredModule& module) { UnknownRegisters(module).check(); }

}  // namespace systole::compiler
