#include "hls/compiler/loops/address_trace.h"

#include <llvm/ADT/APInt.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>
#include <vector>

#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

using llvm::APInt;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

using Known = std::optional<APInt>;

bool is_access(const Instruction& instruction) {
  return is_operation(instruction, {Operation::kMemoryRead, Operation::kMemoryWrite});
}

Known binary(unsigned opcode, const APInt& a, const APInt& b) {
  const bool in_range = b.ult(a.getBitWidth());
  switch (opcode) {
    case Instruction::Add:
      return a + b;
    case Instruction::Sub:
      return a - b;
    case Instruction::Mul:
      return a * b;
    case Instruction::And:
      return a & b;
    case Instruction::Or:
      return a | b;
    case Instruction::Xor:
      return a ^ b;
    case Instruction::Shl:
      return in_range ? Known(a.shl(b)) : std::nullopt;
    case Instruction::LShr:
      return in_range ? Known(a.lshr(b)) : std::nullopt;
    case Instruction::AShr:
      return in_range ? Known(a.ashr(b)) : std::nullopt;
    default:
      return std::nullopt;
  }
}

/// Runs a loop nest on what its counters are.
class Run {
 public:
  explicit Run(const llvm::Loop& nest, std::vector<const Value*> wanted = {}) : nest_(nest) {
    find_slice(std::move(wanted));
  }

  /// Calls visit(access, address) for every access of `inner` that may happen, and turn() after
  /// each of its iterations; for every access if it is null. Says whether the nest came to its end.
  template <typename Visit, typename Turn>
  bool run(const BasicBlock* inner, Visit visit, Turn turn) {
    constexpr int kMostInstructions = 2'000'000;
    const BasicBlock* from = nullptr;
    const BasicBlock* block = nest_.getHeader();
    for (int left = kMostInstructions; left > 0;) {
      enter(*block, from);
      for (const Instruction& instruction : *block) {
        if (slice_.count(&instruction) == 0 || llvm::isa<llvm::PHINode>(instruction)) continue;
        --left;
        if (is_access(instruction)) {
          if ((!inner || block == inner) && may_happen(instruction)) {
            visit(instruction, value_of(*instruction.getOperand(1)));
          }
        } else {
          values_[&instruction] = compute(instruction);
        }
      }
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch) return false;
      unsigned next = 0;
      if (branch->isConditional()) {
        const Known condition = value_of(*branch->getCondition());
        if (!condition) return false;
        next = condition->isZero() ? 1 : 0;
      }
      from = block;
      block = branch->getSuccessor(next);
      if (from == inner) turn(block == inner);
      if (!nest_.contains(block)) return true;
    }
    return false;
  }

  /// What a value is in this iteration.
  Known value_of(const Value& value) const {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
      return constant->getValue();
    }
    const auto found = values_.find(&value);
    return found == values_.end() ? std::nullopt : found->second;
  }

 private:
  /// What addresses, enables, branches and `waiting` depend on.
  void find_slice(std::vector<const Value*> waiting) {
    for (const BasicBlock* block : nest_.blocks()) {
      if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
          branch && branch->isConditional()) {
        waiting.push_back(branch->getCondition());
      }
      for (const Instruction& instruction : *block) {
        if (!is_access(instruction)) continue;
        slice_.insert(&instruction);
        waiting.push_back(instruction.getOperand(1));
        if (is_operation(instruction, Operation::kMemoryWrite)) {
          waiting.push_back(instruction.getOperand(3));
        }
      }
    }
    while (!waiting.empty()) {
      const auto* instruction = llvm::dyn_cast<Instruction>(waiting.back());
      waiting.pop_back();
      if (!instruction || !nest_.contains(instruction)) continue;
      if (!slice_.insert(instruction).second) continue;
      for (const Value* operand : instruction->operands()) waiting.push_back(operand);
    }
  }

  void enter(const BasicBlock& block, const BasicBlock* from) {
    std::vector<std::pair<const llvm::PHINode*, Known>> taken;
    for (const llvm::PHINode& phi : block.phis()) {
      if (slice_.count(&phi) == 0) continue;
      const BasicBlock* way = from ? from : nest_.getLoopPredecessor();
      taken.emplace_back(&phi, way ? value_of(*phi.getIncomingValueForBlock(way)) : std::nullopt);
    }
    for (const auto& [phi, known] : taken) values_[phi] = known;
  }

  bool may_happen(const Instruction& access) const {
    if (is_operation(access, Operation::kMemoryRead)) return true;
    const Known enable = value_of(*access.getOperand(3));
    return !enable || !enable->isZero();
  }

  Known compute(const Instruction& instruction) const {
    if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
      const Known condition = value_of(*select->getCondition());
      if (!condition) return std::nullopt;
      return value_of(condition->isZero() ? *select->getFalseValue() : *select->getTrueValue());
    }
    std::vector<APInt> operands;
    for (const Value* operand : instruction.operands()) {
      const Known known = value_of(*operand);
      if (!known && !is_half_known(instruction)) return std::nullopt;
      if (!known) continue;
      // `false and x`, `true or x`
      if (instruction.getOpcode() == Instruction::And && known->isZero()) return known;
      if (instruction.getOpcode() == Instruction::Or && known->isAllOnes()) return known;
      operands.push_back(*known);
    }
    if (operands.size() != instruction.getNumOperands()) return std::nullopt;
    if (const auto* test = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      return APInt(1, llvm::ICmpInst::compare(operands[0], operands[1], test->getPredicate()));
    }
    if (llvm::isa<llvm::BinaryOperator>(instruction)) {
      return binary(instruction.getOpcode(), operands[0], operands[1]);
    }
    if (!instruction.getType()->isIntegerTy()) return std::nullopt;
    const unsigned width = instruction.getType()->getIntegerBitWidth();
    if (llvm::isa<llvm::ZExtInst>(instruction)) return operands[0].zext(width);
    if (llvm::isa<llvm::SExtInst>(instruction)) return operands[0].sext(width);
    if (llvm::isa<llvm::TruncInst>(instruction)) return operands[0].trunc(width);
    if (llvm::isa<llvm::FreezeInst>(instruction)) return operands[0];
    return std::nullopt;
  }
  static bool is_half_known(const Instruction& instruction) {
    return instruction.getOpcode() == Instruction::And ||
           instruction.getOpcode() == Instruction::Or;
  }

  const llvm::Loop& nest_;
  std::set<const Instruction*> slice_;
  std::map<const Value*, Known> values_;
};

}  // namespace

AddressTrace::AddressTrace(const llvm::Loop& loop) {
  const BasicBlock& block = *loop.getHeader();
  std::vector<const Instruction*> accesses;
  for (const Instruction& instruction : block) {
    if (is_access(instruction)) accesses.push_back(&instruction);
  }
  if (accesses.size() < 2 || loop.getNumBlocks() != 1) return;
  std::vector<const llvm::Loop*> nests;
  for (const llvm::Loop* nest = &loop; nest; nest = nest->getParentLoop()) nests.push_back(nest);
  // As many of the loops around it as can be run: with fewer, more is unknown.
  for (auto nest = nests.rbegin(); nest != nests.rend(); ++nest) {
    known_.clear();
    distance_.clear();
    meets_now_.clear();
    for (const Instruction* one : accesses) known_[one] = true;
    std::map<std::pair<const Instruction*, std::uint64_t>, int> last;  // iteration, by address
    std::vector<std::pair<const Instruction*, std::uint64_t>> now;
    int iteration = 0;
    const auto visit = [&](const Instruction& access, const Known& address) {
      if (!address || address->getActiveBits() > 64) {
        known_[&access] = false;
      } else {
        now.emplace_back(&access, address->getZExtValue());
      }
    };
    const auto turn = [&](bool goes_on) {
      for (const auto& [to, address] : now) {
        for (const Instruction* from : accesses) {
          if (leaf_of(*from) != leaf_of(*to)) continue;
          const auto before = last.find({from, address});
          if (before == last.end()) continue;
          int& fewest = distance_.try_emplace({from, to}, iteration).first->second;
          fewest = std::min(fewest, iteration - before->second);
        }
        for (const auto& [other, place] : now) {
          if (other != to && place == address && leaf_of(*other) == leaf_of(*to)) {
            meets_now_[{other, to}] = true;
          }
        }
      }
      for (const auto& one : now) last[one] = iteration;
      now.clear();
      ++iteration;
      if (goes_on) return;
      last.clear();
      iteration = 0;
    };
    if (Run(**nest).run(&block, visit, turn)) return;
  }
  known_.clear();
}

std::optional<unsigned> constant_trips(const llvm::Loop& loop) {
  unsigned trips = 0;
  const bool ends = Run(loop).run(
      loop.getHeader(), [](const Instruction&, const Known&) {}, [&](bool) { ++trips; });
  return ends ? std::optional(trips) : std::nullopt;
}

bool reads_what_it_wrote(const llvm::Loop& nest, int memory) {
  std::set<std::uint64_t> written;
  bool holds = true;
  Run run(nest);
  const auto visit = [&](const Instruction& access, const Known& address) {
    if (leaf_of(access) != memory) return;
    const bool is_known = address && address->getActiveBits() <= 64;
    if (is_operation(access, Operation::kMemoryRead)) {
      holds = holds && is_known && written.count(address->getZExtValue()) != 0;
    } else if (const Known enable = run.value_of(*access.getOperand(3));
               is_known && enable && enable->isOne()) {
      written.insert(address->getZExtValue());
    }
  };
  return run.run(nullptr, visit, [](bool) {}) && holds;
}

bool trace_values(const llvm::Loop& loop, const std::vector<const Value*>& values,
                  const std::function<void(const std::vector<std::optional<APInt>>&, bool)>& visit,
                  const std::function<void()>& again) {
  std::vector<const llvm::Loop*> nests;
  for (const llvm::Loop* nest = &loop; nest; nest = nest->getParentLoop()) nests.push_back(nest);
  return std::any_of(nests.rbegin(), nests.rend(), [&](const llvm::Loop* nest) {
    Run run(*nest, values);
    again();
    return run.run(
        loop.getHeader(), [](const Instruction&, const Known&) {},
        [&](bool goes_on) {
          std::vector<Known> now;
          for (const Value* value : values) now.push_back(run.value_of(*value));
          visit(now, goes_on);
        });
  });
}

std::optional<int> AddressTrace::distance(const Instruction& from, const Instruction& to) const {
  const auto a = known_.find(&from);
  const auto b = known_.find(&to);
  if (a == known_.end() || b == known_.end() || !a->second || !b->second) return std::nullopt;
  const auto found = distance_.find({&from, &to});
  return found == distance_.end() ? 0 : found->second;
}

std::optional<bool> AddressTrace::meet_now(const Instruction& a, const Instruction& b) const {
  const auto first = known_.find(&a);
  const auto second = known_.find(&b);
  if (first == known_.end() || second == known_.end() || !first->second || !second->second) {
    return std::nullopt;
  }
  return meets_now_.count({&a, &b}) != 0;
}

}  // namespace systole::compiler
