#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/loops/dependences.h"
#include "hls/compiler/schedule/delay_model.h"

namespace llvm {
class BasicBlock;
class Instruction;
class Loop;
class PHINode;
class Value;
}  // namespace llvm

namespace systole::compiler {

/// The clocks of one block: of a state machine, or of a loop whose iterations overlap.
struct BlockSchedule {
  const llvm::BasicBlock* block = nullptr;
  int interval = 0;  ///< clocks between two iterations; 0 if they do not overlap
  int length = 1;    ///< clocks of the block or of one iteration
  std::map<const llvm::Instruction*, int> start;  ///< by operation, from the block's first clock
  double slowest_ns = 0;                          ///< of its clocks, without registers

  bool overlaps() const { return interval > 0; }
  int stages() const { return overlaps() ? (length + interval - 1) / interval : 1; }
};

/// What a loop's iterations wait for, where they cannot start every clock.
struct Binding {
  std::string what;  ///< "sum (fir.h:12) needs its value of the iteration before"
};

/// What a clock has one of: a memory's port for reading or for writing, or a stream.
struct Port {
  enum Kind { kRead, kWrite, kStream };
  Kind kind = kRead;
  int number = 0;  ///< of the kernel's memory or stream
  auto operator<=>(const Port&) const = default;
};
/// The port that an operation uses, or nothing.
std::optional<Port> port_of(const llvm::Instruction& operation);

/// What a kernel's memories and streams are called.
struct PortNames {
  std::vector<std::string> memories;
  std::vector<std::string> streams;
};

/// Operations, orders and times of one block.
class BlockProblem {
 public:
  /// `loop` is the loop of exactly this block, or null.
  BlockProblem(const llvm::BasicBlock& block, const llvm::Loop* loop,
               std::vector<Dependence> orders, const PortNames& names, const DelayModel& model,
               double clock_ns);

  const llvm::BasicBlock& block() const { return block_; }
  const llvm::Loop* loop() const { return loop_; }
  const std::vector<const llvm::Instruction*>& operations() const { return operations_; }
  const std::vector<Dependence>& orders() const { return orders_; }
  const std::string& name(const Port& port) const {
    return (port.kind == Port::kStream ? names_.streams : names_.memories)
        .at(static_cast<std::size_t>(port.number));
  }
  const DelayModel& model() const { return model_; }
  /// For logic between two registers, without the choice in front of a shared register.
  double logic_ns() const { return logic_ns_; }

  /// Whether the instruction takes a place in the schedule: not wires, ports and choices at joins.
  static bool is_operation(const llvm::Instruction& instruction);
  /// The operations of this block that an operand is made of.
  std::vector<const llvm::Instruction*> sources(const llvm::Value& operand) const;
  /// The choices at the block's start that an operand is made of.
  std::vector<const llvm::PHINode*> choices(const llvm::Value& operand) const;
  /// The clock at whose start a value is there in its block; a read's data is there one later.
  static int ready(const llvm::Instruction& operation, const BlockSchedule& schedule);
  /// The clock at which the next iteration's value of a choice is known, in this iteration.
  int next_known(const llvm::PHINode& choice, const BlockSchedule& schedule) const;
  /// The least interval that the ports allow, and the port that sets it.
  std::pair<int, std::optional<Port>> least_by_ports() const;

 private:
  const llvm::BasicBlock& block_;
  const llvm::Loop* loop_;
  std::vector<const llvm::Instruction*> operations_;
  std::vector<Dependence> orders_;
  PortNames names_;
  const DelayModel& model_;
  double logic_ns_;
};

/// Each operation as soon as operands, ports and the clock allow.
BlockSchedule schedule_in_order(const BlockProblem& problem);

/// Iterations that overlap, at this interval, or nothing; then `binding` says what forbids it.
std::optional<BlockSchedule> schedule_overlapping(const BlockProblem& problem, int interval,
                                                  Binding& binding);

/// Throws std::logic_error, the compiler's own fault, if a schedule breaks an order, uses a port
/// twice in a clock, or uses a value before it is there. Trusts nothing of the schedulers.
void verify(const BlockProblem& problem, const BlockSchedule& schedule);

}  // namespace systole::compiler
