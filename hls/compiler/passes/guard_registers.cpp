#include "hls/compiler/passes/guard_registers.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

/// What a branch must save to be worth it.
constexpr int kWorthABranch = 2;
/// The same if both ways write.
constexpr int kWorthTwoWays = 6;

/// Whether the value is the register's own.
bool is_own(const llvm::Value& value, const llvm::CallInst& write) {
  const auto* read = llvm::dyn_cast<llvm::CallInst>(&value);
  return read && is_operation(*read, Operation::kReadRegister) &&
         leaf_of(*read) == leaf_of(write) &&
         constant_argument(*read, 1) == constant_argument(write, 1);
}

/// The select that a write makes, or null; not one that is really an `and` or `or`.
llvm::SelectInst* choice_of(const llvm::CallInst& write) {
  auto* select = llvm::dyn_cast<llvm::SelectInst>(write.getArgOperand(2));
  if (!select || !select->hasOneUse()) return nullptr;
  const bool logical =
      select->getType()->isIntegerTy(1) && (llvm::isa<llvm::Constant>(select->getTrueValue()) ||
                                            llvm::isa<llvm::Constant>(select->getFalseValue()));
  return logical ? nullptr : select;
}

/// The conditions that must all hold for a write to change its register, or (`all` is false) none.
struct Parts {
  llvm::CallInst* write = nullptr;
  bool all = true;
  std::vector<llvm::Value*> conditions = {};
};

void add_parts(llvm::Value& condition, bool all, std::vector<llvm::Value*>& parts) {
  llvm::Value *left = nullptr, *right = nullptr;
  using llvm::PatternMatch::m_LogicalAnd, llvm::PatternMatch::m_LogicalOr,
      llvm::PatternMatch::m_Value;
  const bool splits = all ? match(&condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                          : match(&condition, m_LogicalOr(m_Value(left), m_Value(right)));
  if (!splits) return parts.push_back(&condition);
  add_parts(*left, all, parts);
  add_parts(*right, all, parts);
}

/// The conditions of a write that otherwise keeps its register; a condition with other users stays
/// whole.
Parts parts_of(llvm::CallInst& write) {
  Parts found{.write = &write};
  llvm::SelectInst* choice = choice_of(write);
  if (!choice) return found;
  found.all = is_own(*choice->getFalseValue(), write);
  if (!found.all && !is_own(*choice->getTrueValue(), write)) return found;
  for (const llvm::User* user : choice->getCondition()->users()) {
    const auto* select = llvm::dyn_cast<llvm::SelectInst>(user);
    if (!select || !select->hasOneUse() || select->getCondition() != choice->getCondition() ||
        !is_operation(llvm::cast<llvm::Instruction>(**select->user_begin()),
                      Operation::kWriteRegister)) {
      found.conditions = {choice->getCondition()};
      return found;
    }
  }
  add_parts(*choice->getCondition(), found.all, found.conditions);
  return found;
}

/// before  select (%a && %b), %v, %own      after  select %a, (select %b, %v, %own), %own
void take_out(const Parts& parts, const llvm::Value& common) {
  auto& choice = *llvm::cast<llvm::SelectInst>(parts.write->getArgOperand(2));
  llvm::IRBuilder<> builder(&choice);
  llvm::Value* outer = nullptr;
  llvm::Value* rest = nullptr;
  for (llvm::Value* one : parts.conditions) {
    if (one == &common && !outer) {
      outer = one;
    } else if (!rest) {
      rest = one;
    } else {
      rest = parts.all ? builder.CreateAnd(rest, one) : builder.CreateOr(rest, one);
    }
  }
  llvm::Value* yes = choice.getTrueValue();
  llvm::Value* no = choice.getFalseValue();
  llvm::Value* inner = builder.CreateSelect(rest, yes, no);
  llvm::Value* value =
      parts.all ? builder.CreateSelect(outer, inner, no) : builder.CreateSelect(outer, yes, inner);
  parts.write->setArgOperand(2, value);
  llvm::RecursivelyDeleteTriviallyDeadInstructions(&choice);
}

/// Puts conditions that several registers share first, so that one branch surrounds them all.
void share_conditions(const std::vector<llvm::CallInst*>& writes) {
  std::vector<Parts> all;
  std::map<std::pair<const llvm::Value*, bool>, std::set<const llvm::Value*>> users;
  for (llvm::CallInst* write : writes) {
    all.push_back(parts_of(*write));
    for (const llvm::Value* one : all.back().conditions) {
      users[{one, all.back().all}].insert(choice_of(*write)->getCondition());
    }
  }
  for (const Parts& parts : all) {
    if (parts.conditions.size() < 2) continue;
    const llvm::Value* best = nullptr;
    std::size_t most = 1;
    for (const llvm::Value* one : parts.conditions) {
      const std::size_t count = users.at({one, parts.all}).size();
      if (count > most) best = one;
      most = std::max(most, count);
    }
    if (best) take_out(parts, *best);
  }
}

/// The operations that only this value needs, including itself.
int own_operations(const llvm::Value& value) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || !instruction->hasOneUse() || is_any_operation(*instruction)) return 0;
  int count = is_wiring(*instruction) ? 0 : 1;
  for (const llvm::Value* operand : instruction->operands()) count += own_operations(*operand);
  return count;
}

/// One way of a branch; blocks after an inner branch belong to the way that contains it.
struct Way {
  const Way* outer = nullptr;
  int depth = 0;
  llvm::BasicBlock* start = nullptr;
};

struct Group {
  llvm::Value* condition = nullptr;
  std::vector<llvm::CallInst*> writes;
  int kept = 0;   ///< ways on which a register keeps its value
  int saved = 0;  ///< operations that only one way needs
};

class Guards {
 public:
  explicit Guards(llvm::Function& clock) : clock_(clock) {}

  void run() {
    const std::vector<llvm::BasicBlock*> blocks = blocks_of_every_clock();
    std::vector<llvm::CallInst*> writes;
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : *block) {
        if (is_operation(instruction, Operation::kWriteRegister)) {
          writes.push_back(llvm::cast<llvm::CallInst>(&instruction));
        }
      }
    }
    branch(*blocks.back(), nullptr, writes);
    std::vector<llvm::Instruction*> left;
    for (llvm::BasicBlock* block : blocks) {
      for (llvm::Instruction& instruction : *block) left.push_back(&instruction);
    }
    for (auto at = left.rbegin(); at != left.rend(); ++at) sink(**at);
  }

 private:
  /// In order; the returning block is last.
  std::vector<llvm::BasicBlock*> blocks_of_every_clock() const {
    llvm::BasicBlock* last = nullptr;
    for (llvm::BasicBlock& block : clock_) {
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) last = &block;
    }
    const llvm::DominatorTree dominators(clock_);
    const llvm::LoopInfo loops(dominators);
    std::vector<llvm::BasicBlock*> found;
    for (llvm::BasicBlock& block : clock_) {
      if (&block == last || !dominators.dominates(&block, last)) continue;
      if (!loops.getLoopFor(&block)) found.push_back(&block);
    }
    found.push_back(last);
    return found;
  }

  // ---- Branches ----

  static std::vector<Group> groups_of(const std::vector<llvm::CallInst*>& writes) {
    std::vector<Group> groups;
    std::map<const llvm::Value*, std::size_t> place;
    for (llvm::CallInst* write : writes) {
      llvm::SelectInst* choice = choice_of(*write);
      if (!choice) continue;
      const auto [at, is_new] = place.try_emplace(choice->getCondition(), groups.size());
      if (is_new) groups.emplace_back();
      Group& group = groups[at->second];
      group.condition = choice->getCondition();
      group.writes.push_back(write);
      for (const llvm::Value* value : {choice->getTrueValue(), choice->getFalseValue()}) {
        group.kept += is_own(*value, *write) ? 1 : 0;
        group.saved += own_operations(*value);
      }
    }
    return groups;
  }

  static bool is_worth_it(const Group& group) {
    if (group.kept == 0) return group.saved >= kWorthTwoWays;
    const bool is_bit =
        group.writes.size() == 1 && group.writes[0]->getArgOperand(2)->getType()->isIntegerTy(1);
    return group.kept + group.saved >= kWorthABranch || !is_bit;
  }

  void branch(llvm::BasicBlock& block, const Way* way, const std::vector<llvm::CallInst*>& writes) {
    share_conditions(writes);
    llvm::Instruction* end = block.getTerminator();
    for (const Group& group : groups_of(writes)) {
      if (!is_worth_it(group)) continue;
      llvm::Instruction* ends[2];
      llvm::SplitBlockAndInsertIfThenElse(group.condition, end->getIterator(), &ends[0], &ends[1]);
      way_[end->getParent()] = way;
      std::vector<llvm::CallInst*> inner[2];
      for (llvm::CallInst* write : group.writes) move(*write, ends, inner);
      for (int side = 0; side < 2; ++side) {
        llvm::BasicBlock& start = *ends[side]->getParent();
        ways_.push_back({.outer = way, .depth = way ? way->depth + 1 : 1, .start = &start});
        way_[&start] = &ways_.back();
        branch(start, way_[&start], inner[side]);
      }
    }
  }

  /// Puts the two sides of a write's select on the two ways, if they change the register.
  static void move(llvm::CallInst& write, llvm::Instruction* const (&ends)[2],
                   std::vector<llvm::CallInst*> (&moved)[2]) {
    auto& choice = *llvm::cast<llvm::SelectInst>(write.getArgOperand(2));
    llvm::Value* const values[2] = {choice.getTrueValue(), choice.getFalseValue()};
    for (int side = 0; side < 2; ++side) {
      if (is_own(*values[side], write)) continue;
      auto* copy = llvm::cast<llvm::CallInst>(write.clone());
      copy->setArgOperand(2, values[side]);
      copy->insertBefore(ends[side]);
      moved[side].push_back(copy);
    }
    write.eraseFromParent();
    choice.eraseFromParent();
  }

  // ---- Operations of one way ----

  const Way* way_of(const llvm::User& user) const {
    const auto found = way_.find(llvm::cast<llvm::Instruction>(user).getParent());
    return found == way_.end() ? nullptr : found->second;
  }

  static const Way* shared(const Way* a, const Way* b) {
    while (a != b) {
      const bool is_a_deeper = a && (!b || a->depth >= b->depth);
      (is_a_deeper ? a : b) = (is_a_deeper ? a : b)->outer;
    }
    return a;
  }

  /// Moves a value to the innermost way that contains all its uses; users move before operands.
  void sink(llvm::Instruction& value) {
    if (value.isTerminator() || value.use_empty() || is_any_operation(value) ||
        llvm::isa<llvm::PHINode>(value) || value.mayHaveSideEffects()) {
      return;
    }
    const Way* way = way_of(**value.user_begin());
    for (const llvm::User* user : value.users()) way = shared(way, way_of(*user));
    if (!way) return;
    if (value.hasOneUse()) {
      value.moveBefore(llvm::cast<llvm::Instruction>(*value.user_begin()));
    } else {
      value.moveBefore(*way->start, way->start->getFirstInsertionPt());
    }
  }

  llvm::Function& clock_;
  std::list<Way> ways_;
  std::map<const llvm::BasicBlock*, const Way*> way_;
};

}  // namespace

void guard_registers(llvm::Function& clock) { Guards(clock).run(); }

}  // namespace systole::compiler
