#include "hls/compiler/loops/machine.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/machine_axi.h"
#include "hls/compiler/loops/machine_memories.h"
#include "hls/compiler/loops/machine_ports.h"
#include "hls/compiler/loops/machine_registers.h"
#include "hls/compiler/loops/machine_states.h"
#include "hls/compiler/loops/machine_streams.h"
#include "hls/compiler/loops/machine_units.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {

bool takes_no_clock(const llvm::BasicBlock& block) {
  const llvm::DominatorTree dominators(*const_cast<llvm::Function*>(block.getParent()));
  const llvm::LoopInfo loops(dominators);
  if (loops.isLoopHeader(&block)) return false;
  return std::none_of(block.begin(), block.end(), [](const auto& instruction) {
    return BlockProblem::is_operation(instruction);
  });
}

std::string name_of(const llvm::BasicBlock& block) {
  for (const llvm::Instruction& instruction : block) {
    if (const llvm::DILocation* at = user_location(instruction.getDebugLoc());
        at && at->getLine() != 0) {
      return fmt::format("line_{}", at->getLine());
    }
  }
  return "step";
}

namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

class Builder {
 public:
  Builder(const LoweredKernel& kernel, const std::map<const BasicBlock*, BlockSchedule>& schedules,
          const std::map<const BasicBlock*, const BlockProblem*>& problems)
      : kernel_(kernel),
        schedules_(schedules),
        problems_(problems),
        program_(*kernel.body->getParent()),
        builder_(program_.getContext()),
        ports_(machine_, builder_) {}

  Machine run() {
    make_functions();
    registers_.emplace(machine_.module, builder_);
    states_.emplace(*kernel_.body, schedules_, *registers_, builder_);
    start_input_ = ports_.add_input(MachinePorts::leaf("start", 1));
    done_register_ = registers_->add("done", 1);
    memories_.emplace(kernel_.memories, ports_);
    axi_.emplace(kernel_, ports_);
    streams_.emplace(kernel_.streams, *axi_, ports_);
    units_.emplace(kernel_, machine_, *registers_, builder_);
    leave_idle();
    for (const BasicBlock& block : *kernel_.body) {
      if (const auto found = schedules_.find(&block); found != schedules_.end()) {
        build_block(found->second);
      }
    }
    write_rest();
    states_->finish();
    Value* moves = streams_->moves();
    units_->drive(moves);
    std::vector<int> control = states_->control();
    control.push_back(done_register_);
    registers_->finish(machine_.module.reset, control, moves);
    streams_->drive(moves, states_->is_idle());
    axi_->drive(starts_);
    memories_->drive(moves);
    drive_outputs();
    builder_.CreateRetVoid();
    return std::move(machine_);
  }

 private:
  void make_functions() {
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), false);
    const auto make = [&](const char* name) {
      return llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, program_);
    };
    machine_.module.clock = make("hlsc_kernel_clock");
    machine_.module.reset = make("hlsc_kernel_reset");
    llvm::DISubprogram* described = kernel_.body->getSubprogram();
    kernel_.body->setSubprogram(nullptr);
    machine_.module.clock->setSubprogram(described);
    builder_.SetInsertPoint(
        BasicBlock::Create(program_.getContext(), "clock", machine_.module.clock));
  }

  /// What a write gives to a read beside the memory.
  struct PassedWord {
    const Instruction* read;
    Instruction* write;
    const BlockSchedule* schedule;
    int is_same;  ///< registers
    int word;
  };

  // ---- Values ----

  std::string register_name(const Value& value) const {
    std::string name = variable_path(const_cast<Value&>(value));
    if (name.empty()) name = value.getName().take_until([](char c) { return c == '.'; }).str();
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) {
      name.pop_back();
    }
    return name.empty() ? "value" : name;
  }

  /// Register `copy` (from 1) of a value: each holds it for one interval longer.
  Value* copy_of(const Instruction& value, int copy) {
    const llvm::PHINode* choice = copy == 1 ? next_of(value) : nullptr;
    return registers_->now(copy_register(choice ? *choice : value, copy));
  }

  /// The choice whose register takes the value for the next iteration, in a loop that overlaps; it
  /// is the value's own one too.
  const llvm::PHINode* next_of(const Instruction& value) const {
    const BasicBlock* block = value.getParent();
    const auto found = schedules_.find(block);
    if (llvm::isa<llvm::PHINode>(value) || found == schedules_.end() || !found->second.overlaps()) {
      return nullptr;
    }
    for (const llvm::PHINode& choice : block->phis()) {
      if (choice.getIncomingValueForBlock(block) == &value) return &choice;
    }
    return nullptr;
  }
  int copy_register(const Instruction& value, int copy) {
    std::vector<int>& list = copies_[&value];
    while (static_cast<int>(list.size()) < copy) {
      const std::string name = register_name(value);
      list.push_back(registers_->add(
          list.empty() ? name : fmt::format("{}_{}", name, list.size() + 1), width_of(value)));
      needed_.push_back({&value, static_cast<int>(list.size())});
    }
    return list[static_cast<std::size_t>(copy) - 1];
  }

  static int copies_after(int ready, int clock, int interval) {
    if (interval == 0) return 1;
    return (clock - ready + interval - 1) / interval;
  }

  /// A value as the given clock of the block sees it.
  Value* at(Value* value, const BlockSchedule& schedule, int clock) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return value;
    if (is_operation(*instruction, Operation::kReadPort)) return scalar(*instruction);
    if (is_wire(*instruction)) {
      Value*& known = wires_[{instruction, schedule.block, clock}];
      if (known) return known;
      Value* operand = at(instruction->getOperand(0), schedule, clock);
      known = cloned(*instruction, {operand});
      return wires_[{instruction, schedule.block, clock}] = known;
    }
    const bool here = instruction->getParent() == schedule.block;
    if (const auto* choice = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      if (!here) return outside(*choice);
      if (!schedule.overlaps()) return copy_of(*choice, 1);
      const int known = problems_.at(schedule.block)->next_known(*choice, schedule);
      if (clock == known - schedule.interval && problems_.at(schedule.block)->forwards(*choice)) {
        return forwarded(*choice, schedule, known);
      }
      return copy_of(
          *choice, std::max(1, copies_after(known - schedule.interval, clock, schedule.interval)));
    }
    if (!here) return copy_of(*instruction, 1);
    const int ready = BlockProblem::ready(*instruction, schedule);
    if (ready == clock) return combinational(*instruction, schedule);
    return copy_of(*instruction, copies_after(ready, clock, schedule.interval));
  }

  /// What the iteration before gives in this very clock; the first one has none before it.
  Value* forwarded(const llvm::PHINode& choice, const BlockSchedule& schedule, int known) {
    Value* next = at(choice.getIncomingValueForBlock(schedule.block), schedule, known);
    return builder_.CreateSelect(states_->active(schedule, known), next, copy_of(choice, 1));
  }

  /// A loop's choice after the loop: the last iteration's.
  Value* outside(const llvm::PHINode& choice) {
    const auto found = schedules_.find(choice.getParent());
    if (found == schedules_.end() || !found->second.overlaps()) return copy_of(choice, 1);
    const auto [kept, is_new] = kept_.try_emplace(&choice, 0);
    if (is_new) {
      kept->second = registers_->add(register_name(choice) + "_last", width_of(choice));
      const BlockSchedule& schedule = found->second;
      const int clock = last_clock_of(choice, schedule);
      registers_->write(kept->second, states_->active(schedule, clock),
                        at(const_cast<llvm::PHINode*>(&choice), schedule, clock));
    }
    return registers_->now(kept->second);
  }

  /// The clock of an iteration in which its choice is kept for after the loop.
  int last_clock_of(const llvm::PHINode& choice, const BlockSchedule& schedule) const {
    const int known = problems_.at(schedule.block)->next_known(choice, schedule);
    return std::max(0, known - schedule.interval + 1);
  }

  Value* scalar(const Instruction& read) {
    const Leaf& one = kernel_.inputs[static_cast<std::size_t>(leaf_of(read))];
    const auto [found, is_new] = scalars_.try_emplace(leaf_of(read), 0);
    if (is_new) found->second = ports_.add_input(MachinePorts::leaf(one.name, one.width));
    return ports_.input(found->second);
  }

  Value* combinational(Instruction& operation, const BlockSchedule& schedule) {
    if (const auto found = values_.find(&operation); found != values_.end()) return found->second;
    Value* result = nullptr;
    if (is_operation(operation, Operation::kMemoryRead)) {
      result = read_word(operation, schedule);
    } else if (is_operation(operation, Operation::kStreamPop)) {
      result = streams_->popped(leaf_of(operation));
    } else if (is_operation(operation, Operation::kUnit)) {
      result = units_->result(leaf_of(operation), schedule.instance.at(&operation));
    } else {
      const int clock = schedule.start.at(&operation);
      std::vector<Value*> operands;
      const unsigned count = llvm::isa<llvm::CallInst>(operation)
                                 ? llvm::cast<llvm::CallInst>(operation).arg_size()
                                 : operation.getNumOperands();
      for (unsigned i = 0; i < count; ++i) {
        operands.push_back(at(operation.getOperand(i), schedule, clock));
      }
      result = cloned(operation, operands);
    }
    return values_[&operation] = result;
  }

  /// A memory's word, or what an iteration before wrote to it in the clock of the read.
  Value* read_word(const Instruction& read, const BlockSchedule& schedule) {
    Value* word = memories_->read_data(leaf_of(read));
    const Instruction* write = problems_.at(schedule.block)->passed_to(read, schedule);
    if (!write) return word;
    const std::string& name = kernel_.memories[static_cast<std::size_t>(leaf_of(read))].word.name;
    const PassedWord passed{.read = &read,
                            .write = const_cast<Instruction*>(write),
                            .schedule = &schedule,
                            .is_same = registers_->add(name + "_is_passed", 1),
                            .word = registers_->add(name + "_passed", width_of(read))};
    passed_.push_back(passed);
    return builder_.CreateSelect(registers_->now(passed.is_same), registers_->now(passed.word),
                                 word);
  }

  void write_passed(const PassedWord& one) {
    const int clock = one.schedule->start.at(one.write);
    const int read_clock = one.schedule->start.at(one.read);
    Value* same = builder_.CreateICmpEQ(at(one.read->getOperand(1), *one.schedule, read_clock),
                                        at(one.write->getOperand(1), *one.schedule, clock));
    Value* writes = enabled(*one.write, *one.schedule, clock);
    registers_->write(one.is_same, builder_.getTrue(), builder_.CreateAnd(writes, same));
    registers_->write(one.word, states_->active(*one.schedule, clock),
                      at(one.write->getOperand(2), *one.schedule, clock));
  }

  Value* cloned(const Instruction& original, const std::vector<Value*>& operands) {
    Instruction* copy = original.clone();
    for (unsigned i = 0; i < operands.size(); ++i) copy->setOperand(i, operands[i]);
    copy->dropPoisonGeneratingFlags();
    builder_.Insert(copy, original.getName());
    copy->setDebugLoc(original.getDebugLoc());
    if (const auto* record = variable_record(const_cast<Instruction&>(original))) {
      auto* described = llvm::cast<llvm::DbgVariableRecord>(record->clone());
      described->replaceVariableLocationOp(0u, copy);
      builder_.GetInsertBlock()->insertDbgRecordBefore(described, builder_.GetInsertPoint());
    }
    return copy;
  }

  // ---- Blocks ----

  void build_block(const BlockSchedule& schedule) {
    for (const Instruction* operation : problems_.at(schedule.block)->operations()) {
      perform(*const_cast<Instruction*>(operation), schedule);
    }
    if (schedule.overlaps()) {
      run_loop(schedule);
    } else {
      leave(schedule, states_->active(schedule, schedule.length - 1));
    }
  }

  void perform(Instruction& operation, const BlockSchedule& schedule) {
    const int clock = schedule.start.at(&operation);
    if (is_operation(operation, Operation::kMemoryRead)) {
      memories_->read(leaf_of(operation), states_->active(schedule, clock),
                      at(operation.getOperand(1), schedule, clock));
    } else if (is_operation(operation, Operation::kMemoryWrite)) {
      memories_->write(leaf_of(operation), enabled(operation, schedule, clock),
                       at(operation.getOperand(1), schedule, clock),
                       at(operation.getOperand(2), schedule, clock));
    } else if (is_operation(operation, Operation::kStreamPop)) {
      streams_->pop(leaf_of(operation), enabled(operation, schedule, clock));
    } else if (is_operation(operation, Operation::kStreamPush)) {
      streams_->push(leaf_of(operation), enabled(operation, schedule, clock),
                     at(operation.getOperand(1), schedule, clock));
    } else if (is_operation(operation, Operation::kUnit)) {
      constexpr unsigned kFirst = 3;
      std::vector<Value*> arguments;
      for (unsigned i = kFirst; i < llvm::cast<llvm::CallInst>(operation).arg_size(); ++i) {
        arguments.push_back(at(operation.getOperand(i), schedule, clock));
      }
      units_->call(leaf_of(operation), schedule.instance.at(&operation),
                   states_->active(schedule, clock), arguments);
    } else if (is_operation(operation, Operation::kWritePort)) {
      registers_->write(output_register(leaf_of(operation)), states_->active(schedule, clock),
                        at(operation.getOperand(2), schedule, clock));
    }
  }

  /// Whether a write, a pop or a push happens in a clock.
  Value* enabled(Instruction& operation, const BlockSchedule& schedule, int clock) {
    return builder_.CreateAnd(
        states_->active(schedule, clock),
        at(operation.getOperand(static_cast<unsigned>(enable_operand(operation))), schedule,
           clock));
  }

  int output_register(int number) {
    const auto [found, is_new] = outputs_.try_emplace(number, 0);
    if (is_new) {
      const Leaf& one = kernel_.outputs[static_cast<std::size_t>(number)];
      found->second = registers_->add(one.name, one.width);
    }
    return found->second;
  }

  void leave_idle() {
    registers_->write(done_register_, builder_.getTrue(), builder_.getFalse());
    starts_ = builder_.CreateAnd(states_->is_idle(), ports_.input(start_input_), "starts");
    states_->leave_idle(starts_);
    go(starts_, nullptr, &kernel_.body->getEntryBlock(), nullptr, {});
  }

  /// From the end of a block to the blocks that may follow.
  void leave(const BlockSchedule& schedule, Value* when) {
    follow(when, const_cast<BasicBlock*>(schedule.block), &schedule, {});
  }

  using Known = std::map<const Value*, Value*>;

  /// The value of an instruction at the end of a block, perhaps after blocks that take no clock.
  Value* at_end(Value* value, const BlockSchedule* schedule, const Known& known) {
    if (const auto found = known.find(value); found != known.end()) return found->second;
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction && is_wire(*instruction)) {
      return cloned(*instruction, {at_end(instruction->getOperand(0), schedule, known)});
    }
    if (instruction && is_operation(*instruction, Operation::kReadPort)) {
      return scalar(*instruction);
    }
    if (!schedule) return value;
    if (!schedule->overlaps()) return at(value, *schedule, schedule->length - 1);
    if (!instruction || instruction->getParent() != schedule->block) {
      return at(value, *schedule, schedule->length - 1);
    }
    if (const auto* choice = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      return last_clock_of(*choice, *schedule) == schedule->length - 1
                 ? at(value, *schedule, schedule->length - 1)
                 : outside(*choice);
    }
    // Of the last iteration: no later one has taken its register.
    return BlockProblem::ready(*instruction, *schedule) == schedule->length - 1
               ? combinational(*instruction, *schedule)
               : copy_of(*instruction, 1);
  }

  void follow(Value* when, BasicBlock* block, const BlockSchedule* schedule, const Known& known) {
    Instruction* end = block->getTerminator();
    if (llvm::isa<llvm::ReturnInst>(end)) {
      states_->go_idle(when);
      registers_->write(done_register_, when, builder_.getTrue());
      return;
    }
    auto* branch = llvm::cast<llvm::BranchInst>(end);
    const bool leaves_loop = schedule && schedule->overlaps() && block == schedule->block;
    if (!branch->isConditional()) return go(when, block, branch->getSuccessor(0), schedule, known);
    if (leaves_loop) {
      const bool first = branch->getSuccessor(0) == block;
      return go(when, block, branch->getSuccessor(first ? 1 : 0), schedule, known);
    }
    Value* condition = at_end(branch->getCondition(), schedule, known);
    go(builder_.CreateAnd(when, condition), block, branch->getSuccessor(0), schedule, known);
    go(builder_.CreateAnd(when, builder_.CreateNot(condition)), block, branch->getSuccessor(1),
       schedule, known);
  }

  void go(Value* when, BasicBlock* from, BasicBlock* to, const BlockSchedule* schedule,
          Known known) {
    std::vector<std::pair<const llvm::PHINode*, Value*>> taken;
    for (llvm::PHINode& choice : to->phis()) {
      taken.emplace_back(&choice, at_end(choice.getIncomingValueForBlock(from), schedule, known));
    }
    for (const auto& [choice, value] : taken) {
      registers_->start(copy_register(*choice, 1), when, value);
      known[choice] = value;
    }
    const auto found = schedules_.find(to);
    if (found == schedules_.end()) return follow(when, to, schedule, known);
    states_->enter(*to, when);
  }

  /// The valid bits and the phase of a loop whose iterations overlap, and its end.
  void run_loop(const BlockSchedule& schedule) {
    auto* block = const_cast<BasicBlock*>(schedule.block);
    auto* branch = llvm::cast<llvm::BranchInst>(block->getTerminator());
    const BlockProblem& problem = *problems_.at(block);
    const auto goes_on_at = [&](int clock) {
      Value* condition = at(branch->getCondition(), schedule, clock);
      return branch->getSuccessor(0) == block ? condition : builder_.CreateNot(condition);
    };
    states_->start_again(schedule, builder_.CreateAnd(states_->valid(schedule, 0),
                                                      goes_on_at(schedule.interval - 1)));
    for (llvm::PHINode& choice : block->phis()) {
      const int when = problem.next_known(choice, schedule);
      if (copies_.count(&choice) == 0) copy_register(choice, 1);
      registers_->write(copy_register(choice, 1), states_->active(schedule, when),
                        at(choice.getIncomingValueForBlock(block), schedule, when));
    }

    const int last_clock = schedule.length - 1;
    Value* ends = states_->active(schedule, last_clock);
    Value* is_last = schedule.stages() == 1 ? builder_.CreateNot(goes_on_at(last_clock))
                                            : states_->is_last(schedule);
    ends = builder_.CreateAnd(ends, is_last);
    states_->stop(schedule, ends);
    leave(schedule, ends);
  }

  /// Registers that others need, which may need further ones.
  void write_rest() {
    for (std::size_t copies = 0, words = 0;;) {
      if (copies < needed_.size()) {
        const auto [value, copy] = needed_[copies++];
        write_copy(*value, copy);
      } else if (words < passed_.size()) {
        const PassedWord one = passed_[words++];
        write_passed(one);
      } else {
        return;
      }
    }
  }

  void write_copy(const Instruction& value, int copy) {
    const BlockSchedule& schedule = schedules_.find(value.getParent())->second;
    if (const auto* choice = llvm::dyn_cast<llvm::PHINode>(&value)) {
      if (copy == 1) return;  // written where its block is entered
      const int clock = problems_.at(schedule.block)->next_known(*choice, schedule) +
                        (copy - 2) * schedule.interval;
      registers_->write(copy_register(value, copy), states_->active(schedule, clock),
                        copy_of(value, copy - 1));
      return;
    }
    const int clock = BlockProblem::ready(value, schedule) + (copy - 1) * schedule.interval;
    registers_->write(copy_register(value, copy), states_->active(schedule, clock),
                      copy == 1 ? combinational(const_cast<Instruction&>(value), schedule)
                                : copy_of(value, copy - 1));
  }

  void drive_outputs() {
    ports_.add_output(MachinePorts::leaf("done", 1), registers_->now(done_register_));
    for (std::size_t i = 0; i < kernel_.outputs.size(); ++i) {
      ports_.add_output(MachinePorts::leaf(kernel_.outputs[i].name, kernel_.outputs[i].width),
                        registers_->now(output_register(static_cast<int>(i))));
    }
  }

  const LoweredKernel& kernel_;
  const std::map<const BasicBlock*, BlockSchedule>& schedules_;
  const std::map<const BasicBlock*, const BlockProblem*>& problems_;
  llvm::Module& program_;
  llvm::IRBuilder<> builder_;
  Machine machine_;
  MachinePorts ports_;
  std::optional<MachineRegisters> registers_;
  std::optional<MachineStates> states_;
  std::optional<MachineMemories> memories_;
  std::optional<MachineAxi> axi_;
  std::optional<MachineStreams> streams_;
  std::optional<MachineUnits> units_;
  int start_input_ = 0;
  Value* starts_ = nullptr;
  int done_register_ = 0;
  std::map<int, int> scalars_;  ///< input by the kernel's number
  std::map<int, int> outputs_;  ///< register by the kernel's number
  std::map<const Instruction*, Value*> values_;
  std::map<std::tuple<const Instruction*, const BasicBlock*, int>, Value*> wires_;
  std::map<const Instruction*, std::vector<int>> copies_;
  std::map<const llvm::PHINode*, int> kept_;
  std::vector<std::pair<const Instruction*, int>> needed_;
  std::vector<PassedWord> passed_;
};

}  // namespace

Machine build_machine(const LoweredKernel& kernel,
                      const std::map<const BasicBlock*, BlockSchedule>& schedules,
                      const std::map<const BasicBlock*, const BlockProblem*>& problems) {
  return Builder(kernel, schedules, problems).run();
}

}  // namespace systole::compiler
