#include "hls/compiler/loops/machine_states.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/Support/MathExtras.h>

#include <set>

#include "hls/compiler/loops/machine.h"

namespace systole::compiler {

MachineStates::MachineStates(const llvm::Function& body,
                             const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules,
                             MachineRegisters& registers, llvm::IRBuilder<>& builder)
    : schedules_(schedules), registers_(registers), builder_(builder) {
  busy_ = registers_.add("busy", 1);
  number_blocks(body);
}

void MachineStates::number_blocks(const llvm::Function& body) {
  std::set<std::string> names;
  for (const llvm::BasicBlock& block : body) {
    const auto found = schedules_.find(&block);
    if (found == schedules_.end()) continue;
    const BlockSchedule& schedule = found->second;
    std::string name = name_of(block);
    for (int copy = 2; !names.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", name_of(block), copy);
    }
    Block one{.schedule = &schedule, .starts = builder_.getFalse()};
    one.bits = schedule.overlaps()
                   ? registers_.add(name + "_valid", static_cast<unsigned>(schedule.stages()))
                   : registers_.add(name + "_clock", static_cast<unsigned>(schedule.length));
    if (schedule.interval > 1) {
      one.phase = registers_.add(name + "_phase",
                                 llvm::Log2_64_Ceil(static_cast<unsigned>(schedule.interval)));
    }
    number_[&block] = blocks_.size();
    blocks_.push_back(one);
  }
}

llvm::Value* MachineStates::bit(const Block& block, int number) {
  llvm::Value*& known = bits_[{block.bits, number}];
  if (known) return known;
  llvm::Value* bits = registers_.now(block.bits);
  if (number > 0) bits = builder_.CreateLShr(bits, static_cast<unsigned>(number));
  return known = builder_.CreateTrunc(bits, builder_.getInt1Ty());
}

llvm::Value* MachineStates::phase_is(const Block& block, int phase) {
  llvm::Value*& test = phases_[{block.phase, phase}];
  if (test) return test;
  llvm::Value* now = registers_.now(block.phase);
  return test = builder_.CreateICmpEQ(
             now, llvm::ConstantInt::get(now->getType(), static_cast<unsigned>(phase)));
}

llvm::Value* MachineStates::is_idle() { return builder_.CreateNot(registers_.now(busy_)); }

void MachineStates::leave_idle(llvm::Value* when) {
  registers_.write(busy_, when, builder_.getTrue());
}

void MachineStates::go_idle(llvm::Value* when) {
  registers_.write(busy_, when, builder_.getFalse());
}

llvm::Value* MachineStates::active(const BlockSchedule& schedule, int clock) {
  llvm::Value*& test = active_[{schedule.block, clock}];
  if (test) return test;
  const Block& block = of(schedule);
  if (schedule.interval <= 1) return test = bit(block, clock);
  return test = builder_.CreateAnd(bit(block, clock / schedule.interval),
                                   phase_is(block, clock % schedule.interval));
}

void MachineStates::enter(const llvm::BasicBlock& block, llvm::Value* when) {
  Block& one = of(schedules_.at(&block));
  one.starts = builder_.CreateOr(one.starts, when);
}

void MachineStates::start_again(const BlockSchedule& schedule, llvm::Value* when) {
  of(schedule).again = when;
}

llvm::Value* MachineStates::valid(const BlockSchedule& schedule, int stage) {
  return bit(of(schedule), stage);
}

llvm::Value* MachineStates::is_last(const BlockSchedule& schedule) {
  const auto younger = static_cast<unsigned>(schedule.stages()) - 1;
  llvm::Value* bits = registers_.now(of(schedule).bits);
  return builder_.CreateICmpEQ(builder_.CreateTrunc(bits, builder_.getIntNTy(younger)),
                               builder_.getIntN(younger, 0));
}

void MachineStates::stop(const BlockSchedule& schedule, llvm::Value* when) {
  of(schedule).stops = when;
}

/// The next bits: those of now, one further, and one that starts. The last one leaves by itself,
/// except in the middle of an interval.
void MachineStates::move(const Block& block) {
  llvm::Value* bits = registers_.now(block.bits);
  const unsigned width = bits->getType()->getIntegerBitWidth();
  const int interval = block.schedule->interval;
  const auto moved = [&](llvm::Value* first) {
    llvm::Value* in = builder_.CreateZExt(first, bits->getType());
    return width == 1 ? in : builder_.CreateOr(builder_.CreateShl(bits, 1), in);
  };
  llvm::Value* first = block.starts;
  if (block.again && interval == 1) first = builder_.CreateOr(first, block.again);
  if (interval <= 1) return registers_.write(block.bits, builder_.getTrue(), moved(first));
  llvm::Value* turns = phase_is(block, interval - 1);
  registers_.write(block.bits, turns, moved(block.again));
  if (block.schedule->length % interval != 0) {
    registers_.write(block.bits, block.stops, builder_.getIntN(width, 0));
  }
  registers_.write(block.bits, block.starts, builder_.getIntN(width, 1));
  llvm::Value* phase = registers_.now(block.phase);
  llvm::Value* zero = llvm::ConstantInt::get(phase->getType(), 0);
  registers_.write(block.phase, builder_.getTrue(),
                   builder_.CreateAdd(phase, llvm::ConstantInt::get(phase->getType(), 1)));
  registers_.write(block.phase, builder_.CreateOr(turns, block.starts), zero);
}

void MachineStates::finish() {
  for (const Block& block : blocks_) move(block);
}

std::vector<int> MachineStates::control() const {
  std::vector<int> cleared = {busy_};
  for (const Block& block : blocks_) cleared.push_back(block.bits);
  return cleared;
}

}  // namespace systole::compiler
