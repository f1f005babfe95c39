#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/ir/lowered_kernel.h"
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

/// Whether an instruction only moves bits, and sets some to constants.
bool is_wire(const llvm::Instruction& instruction);

/// The clocks of one block: of a state machine, or of a loop whose iterations overlap.
struct BlockSchedule {
  const llvm::BasicBlock* block = nullptr;
  int interval = 0;        ///< clocks between two iterations; 0 if they do not overlap
  int length = 1;          ///< clocks of the block or of one iteration
  int least_interval = 0;  ///< that is possible, whatever the source asks for; 0 for none
  std::map<const llvm::Instruction*, int> start;     ///< by operation, from the block's first clock
  std::map<const llvm::Instruction*, int> instance;  ///< of its unit, by call
  double slowest_ns = 0;                             ///< of its clocks, without registers

  bool overlaps() const { return interval > 0; }
  int stages() const { return overlaps() ? (length + interval - 1) / interval : 1; }
};

/// What a loop's iterations wait for, where they cannot start every clock.
struct Binding {
  std::string what;  ///< "sum (fir.h:12) needs its value of the iteration before"
};

/// What operations share: a memory's port, a stream, or the units of one kind.
struct Resource {
  enum class Kind { kWritePort, kReadPort, kStream, kUnit };
  Kind kind = Kind::kUnit;
  int number = 0;  ///< of the memory, the stream or the unit
  auto operator<=>(const Resource&) const = default;
};

/// The least interval that ports, streams and units allow, and what sets it; "" for nothing.
struct LeastInterval {
  int clocks = 1;
  std::string what;
};

/// Operations, orders and times of one block.
class BlockProblem {
 public:
  /// `loop` is the loop of exactly this block, or null.
  BlockProblem(const llvm::BasicBlock& block, const llvm::Loop* loop,
               std::vector<Dependence> orders, const LoweredKernel& kernel, const DelayModel& model,
               double clock_ns);

  const llvm::BasicBlock& block() const { return block_; }
  const llvm::Loop* loop() const { return loop_; }
  const std::vector<const llvm::Instruction*>& operations() const { return operations_; }
  const std::vector<Dependence>& orders() const { return passes_words_ ? passing_ : orders_; }
  /// Whether a read may be in the clock in which an iteration before writes that word: what it
  /// wrote is passed on to it beside the memory, if the addresses are equal.
  void pass_words(bool passes) { passes_words_ = passes; }
  bool may_be_passed_to(const llvm::Instruction& read) const;
  /// The write whose word the read may have to take so, in this schedule; null if there is none.
  const llvm::Instruction* passed_to(const llvm::Instruction& read,
                                     const BlockSchedule& schedule) const;
  const KernelUnit& unit(const llvm::Instruction& call) const;
  const DelayModel& model() const { return model_; }
  /// For logic between two registers, without the choice in front of a shared register.
  double logic_ns() const { return logic_ns_; }

  /// Whether the instruction takes a place in the schedule: not wires, ports and choices at joins.
  static bool is_operation(const llvm::Instruction& instruction);
  /// The operations of this block that an operand is made of.
  std::vector<const llvm::Instruction*> sources(const llvm::Value& operand) const;
  /// The choices at the block's start that an operand is made of.
  std::vector<const llvm::PHINode*> choices(const llvm::Value& operand) const;
  static std::optional<Resource> resource_of(const llvm::Instruction& operation);
  /// Units that a block has at most: as many as its interval needs, else one.
  int units(int number, int interval) const;
  /// The clock at whose start a value is there in its block, after what reads and units take.
  static int ready(const llvm::Instruction& operation, const BlockSchedule& schedule);
  /// The same for operations of this iteration: a sum of products goes from its register to them.
  int ready_for_others(const llvm::Instruction& operation, const BlockSchedule& schedule) const;
  /// Whether the next iteration may take its value of a choice from a unit's output, in the clock
  /// in which it is there, instead of from the choice's register one clock later.
  bool forwards(const llvm::PHINode& choice) const;
  /// The clock at which the next iteration's value of a choice is known, in this iteration.
  int next_known(const llvm::PHINode& choice, const BlockSchedule& schedule) const;
  LeastInterval least_by_resources() const;

 private:
  const llvm::BasicBlock& block_;
  const llvm::Loop* loop_;
  std::vector<const llvm::Instruction*> operations_;
  std::vector<Dependence> orders_;
  std::vector<Dependence> passing_;  ///< the same where words are passed on
  bool passes_words_ = false;
  const LoweredKernel& kernel_;
  std::map<Resource, int> uses_;
  const DelayModel& model_;
  double logic_ns_;
};

/// Each operation as soon as operands, ports and the clock allow.
BlockSchedule schedule_in_order(const BlockProblem& problem);

/// Iterations that overlap, at this interval, or nothing; then `binding` says what forbids it.
std::optional<BlockSchedule> schedule_overlapping(const BlockProblem& problem, int interval,
                                                  Binding& binding);

/// Throws std::logic_error, the compiler's own fault, if a schedule breaks an order, uses a
/// resource twice in a clock, or uses a value before it is there. Trusts nothing of the schedulers.
void verify(const BlockProblem& problem, const BlockSchedule& schedule);

}  // namespace systole::compiler
