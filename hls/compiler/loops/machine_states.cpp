#include "hls/compiler/loops/machine_states.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <set>

#include "hls/compiler/loops/machine.h"

namespace systole::compiler {
namespace {

/// "kLine12" of "line_12".
std::string state_name(const std::string& block) {
  std::string camel = "k";
  bool up = true;
  for (const char c : block) {
    if (c != '_') camel += up ? static_cast<char>(std::toupper(c)) : c;
    up = c == '_';
  }
  return camel;
}

}  // namespace

MachineStates::MachineStates(const llvm::Function& body,
                             const std::map<const llvm::BasicBlock*, BlockSchedule>& schedules,
                             LoweredModule& module, MachineRegisters& registers,
                             llvm::IRBuilder<>& builder)
    : schedules_(schedules), module_(module), registers_(registers), builder_(builder) {
  number_states(body);
}

void MachineStates::number_states(const llvm::Function& body) {
  std::set<std::string> names;
  std::vector<std::string> list = {"kIdle"};
  for (const llvm::BasicBlock& block : body) {
    const auto found = schedules_.find(&block);
    if (found == schedules_.end()) continue;
    std::string name = name_of(block);
    for (int copy = 2; !names.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", name_of(block), copy);
    }
    block_names_[&block] = name;
    state_of_[&block] = static_cast<int>(list.size());
    const int count = found->second.overlaps() ? 1 : found->second.length;
    for (int clock = 0; clock < count; ++clock) {
      list.push_back(count == 1 ? state_name(name)
                                : fmt::format("{}Clock{}", state_name(name), clock));
    }
  }
  state_width_ = std::max(1u, llvm::Log2_64_Ceil(list.size()));
  state_ = registers_.add("state", state_width_, state_type(list));
}

const llvm::DICompositeType* MachineStates::state_type(const std::vector<std::string>& names) {
  llvm::Module& program = *module_.clock->getParent();
  llvm::DIBuilder describe(program, false, *program.debug_compile_units_begin());
  std::vector<llvm::Metadata*> enumerators;
  for (std::size_t i = 0; i < names.size(); ++i) {
    enumerators.push_back(describe.createEnumerator(names[i], i, /*IsUnsigned=*/true));
  }
  const llvm::DISubprogram* source = module_.clock->getSubprogram();
  return describe.createEnumerationType(
      source->getFile(), "St", source->getFile(), source->getLine(), 32, 32,
      describe.getOrCreateArray(enumerators),
      describe.createBasicType("unsigned int", 32, llvm::dwarf::DW_ATE_unsigned), 0, "", true);
}

llvm::Value* MachineStates::state_value(int number) {
  return builder_.getIntN(state_width_, static_cast<unsigned>(number));
}

llvm::Value* MachineStates::state_is(int number) {
  llvm::Value*& test = state_tests_[number];
  if (!test) test = builder_.CreateICmpEQ(registers_.now(state_), state_value(number));
  return test;
}

llvm::Value* MachineStates::is_in(const BlockSchedule& schedule, int clock) {
  return state_is(state_of_.at(schedule.block) + clock);
}

llvm::Value* MachineStates::active(const BlockSchedule& schedule, int clock) {
  llvm::Value*& test = active_[{schedule.block, clock}];
  if (test) return test;
  if (!schedule.overlaps()) return test = is_in(schedule, clock);
  test = valid(schedule, clock / schedule.interval);
  if (schedule.interval > 1)
    test = builder_.CreateAnd(test, phase_is(schedule, clock % schedule.interval));
  return test;
}

void MachineStates::go_idle(llvm::Value* when) { registers_.write(state_, when, state_value(0)); }

void MachineStates::enter(const llvm::BasicBlock& block, llvm::Value* when) {
  registers_.write(state_, when, state_value(state_of_.at(&block)));
  const BlockSchedule& schedule = schedules_.at(&block);
  if (!schedule.overlaps()) return;
  registers_.write(valid_register(schedule), when,
                   builder_.getIntN(static_cast<unsigned>(schedule.stages()), 1));
  if (schedule.interval > 1) {
    const int phase = phase_register(schedule);
    registers_.write(phase, when, llvm::ConstantInt::get(registers_.now(phase)->getType(), 0));
  }
}

void MachineStates::step(const BlockSchedule& schedule, int clock) {
  registers_.write(state_, active(schedule, clock),
                   state_value(state_of_.at(schedule.block) + clock + 1));
}

void MachineStates::turn(const BlockSchedule& schedule, llvm::Value* goes_on) {
  llvm::Value* here = is_in(schedule);
  llvm::Value* bits = registers_.now(valid_register(schedule));
  llvm::Value* turns = here;
  if (schedule.interval > 1) {
    llvm::Value* phase = registers_.now(phase_register(schedule));
    llvm::Value* last = phase_is(schedule, schedule.interval - 1);
    turns = builder_.CreateAnd(here, last);
    llvm::Value* next = builder_.CreateAdd(phase, llvm::ConstantInt::get(phase->getType(), 1));
    next = builder_.CreateSelect(last, llvm::ConstantInt::get(phase->getType(), 0), next);
    registers_.write(phase_register(schedule), here, next);
  }
  llvm::Value* moved = builder_.CreateZExt(goes_on, bits->getType());
  if (schedule.stages() > 1) moved = builder_.CreateOr(builder_.CreateShl(bits, 1), moved);
  registers_.write(valid_register(schedule), turns, moved);
}

llvm::Value* MachineStates::valid(const BlockSchedule& schedule, int stage) {
  llvm::Value*& bit = valid_bits_[{schedule.block, stage}];
  if (bit) return bit;
  llvm::Value* bits = registers_.now(valid_register(schedule));
  if (stage > 0) bits = builder_.CreateLShr(bits, static_cast<unsigned>(stage));
  return bit = builder_.CreateTrunc(bits, builder_.getInt1Ty());
}

llvm::Value* MachineStates::is_last(const BlockSchedule& schedule) {
  const auto younger = static_cast<unsigned>(schedule.stages()) - 1;
  llvm::Value* bits = registers_.now(valid_register(schedule));
  return builder_.CreateICmpEQ(builder_.CreateTrunc(bits, builder_.getIntNTy(younger)),
                               builder_.getIntN(younger, 0));
}

void MachineStates::stop(const BlockSchedule& schedule, llvm::Value* when) {
  const int bits = valid_register(schedule);
  registers_.write(bits, when, llvm::ConstantInt::get(registers_.now(bits)->getType(), 0));
}

std::vector<int> MachineStates::control() const {
  std::vector<int> cleared = {state_};
  for (const auto& [block, number] : valid_) cleared.push_back(number);
  return cleared;
}

llvm::Value* MachineStates::phase_is(const BlockSchedule& schedule, int phase) {
  llvm::Value*& test = phase_tests_[{schedule.block, phase}];
  if (!test) {
    llvm::Value* now = registers_.now(phase_register(schedule));
    test = builder_.CreateICmpEQ(
        now, llvm::ConstantInt::get(now->getType(), static_cast<unsigned>(phase)));
  }
  return test;
}

int MachineStates::valid_register(const BlockSchedule& schedule) {
  return named_register(valid_, schedule, "valid", static_cast<unsigned>(schedule.stages()));
}

int MachineStates::phase_register(const BlockSchedule& schedule) {
  return named_register(phase_, schedule, "phase",
                        llvm::Log2_64_Ceil(static_cast<unsigned>(schedule.interval)));
}

int MachineStates::named_register(std::map<const llvm::BasicBlock*, int>& which,
                                  const BlockSchedule& schedule, const char* suffix,
                                  unsigned width) {
  const auto [found, is_new] = which.try_emplace(schedule.block, 0);
  if (is_new) {
    found->second =
        registers_.add(fmt::format("{}_{}", block_names_.at(schedule.block), suffix), width);
  }
  return found->second;
}

}  // namespace systole::compiler
