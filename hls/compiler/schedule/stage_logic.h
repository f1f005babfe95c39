#pragma once

#include <map>
#include <vector>

#include "hls/compiler/schedule/bit_network.h"

namespace llvm {
class Instruction;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The operations of straight-line code as bits, and when each is done within its stage. Operands
/// of the same stage are logic before it; operands of earlier stages come from registers.
///
/// before  %sum = add i4 %a, %b                 after  4 bits, the last of them done after a table,
///         %is_big = icmp ugt i4 %sum, 9               a carry chain and another table
class StageLogic {
 public:
  /// `balances_choices`: a chain of choices, or of the conditions between them, takes the time of a
  /// tree, which synthesis makes of it. Stages are cut without it.
  explicit StageLogic(const DelayModel& model, bool balances_choices = false)
      : network_(model), model_(model), balances_choices_(balances_choices) {}

  /// Adds the operation to a stage, again if it is already there. Its operands must have been
  /// added. Returns when its last bit arrives.
  double add(const llvm::Instruction& operation, int stage);

  /// Adds the operation as registers with what `whole` knows of it: constant and equal bits.
  void add_register(const llvm::Instruction& operation, const StageLogic& whole, int stage);

  /// When the operation's last bit arrives in its latest stage.
  double arrival(const llvm::Instruction& operation) const { return added_.at(&operation).arrival; }

  /// The bits of a value that was added or is a constant, the network that they are in, and the
  /// operation that made a node.
  std::vector<Bit> bits(const llvm::Value& value) { return operand(value, added_stage(value)); }
  const BitNetwork& network() const { return network_; }
  const llvm::Instruction* owner(int number) const {
    return number < 0 ? nullptr : owners_[number];
  }

  /// Bits of its value that are neither constant nor equal to another.
  int distinct_bits(const llvm::Instruction& operation) const;

  /// The slowest path to the operation from the registers, first operation first.
  struct Path {
    double ns = 0;
    BitNetwork::Path parts;
    std::vector<const llvm::Instruction*> operations;
  };
  Path path(const llvm::Instruction& operation) const;

  /// Parts below the values, each in the stage where it was added.
  BitNetwork::Area area(const std::vector<const llvm::Value*>& values, double period_ns) const;

 private:
  struct Added {
    int stage = 0;
    double arrival = 0;
    std::vector<Bit> bits;
  };
  using Bits = std::vector<Bit>;

  int added_stage(const llvm::Value& value) const;
  Bits operand(const llvm::Value& value, int stage);
  Bits element(const llvm::Instruction& load, int stage);
  Bits compute(const llvm::Instruction& operation, int stage);
  Bits arithmetic(const llvm::Instruction& operation, int stage);
  Bits product(const llvm::Instruction& operation, int stage);
  Bits logic(const llvm::Instruction& operation, int stage);
  Bits shift(const llvm::Instruction& operation, int stage);
  Bits shifted(unsigned opcode, const Bits& value, const Bits& amount);
  Bit compare(const llvm::Instruction& operation, int stage);
  Bit compare(unsigned predicate, Bits a, Bits b);
  Bits choose(Bit select, const Bits& when_one, const Bits& when_zero);
  Bits choose_as_tree(const llvm::Instruction& select, int stage);
  Bits add_all(std::vector<Bits> summands, std::vector<Bit> carries);
  Bits leaves(unsigned width);

  /// The operands of a tree of one operation within one stage, without other uses, unless
  /// conditions are balanced.
  void gather(const llvm::Value& value, unsigned opcode, int stage, std::vector<Bits>& found);
  void gather_summands(const llvm::Value& value, bool negative, int stage, std::vector<Bits>& found,
                       std::vector<Bit>& carries);
  const llvm::Instruction* inner(const llvm::Value& value, int stage) const;

  BitNetwork network_;
  const DelayModel& model_;
  bool balances_choices_;
  std::vector<const llvm::Instruction*> owners_;
  std::map<const llvm::Instruction*, Added> added_;
  std::map<int, Bit> registered_;  ///< by node
  std::map<int, Bit> known_;       ///< by the node of another StageLogic
};

}  // namespace systole::compiler
