#include "hls/compiler/schedule/stage_logic.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <bit>
#include <set>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"

namespace systole::compiler {
namespace {

std::vector<Bit> inverted(std::vector<Bit> bits) {
  for (Bit& bit : bits) bit = compiler::inverted(bit);
  return bits;
}

/// A product's operand without sign or zero extension.
std::vector<Bit> effective(std::vector<Bit> bits) {
  while (bits.size() > 1 && bits.back() == bits[bits.size() - 2]) bits.pop_back();
  return bits;
}

int ceil_divide(int a, int b) { return (a + b - 1) / b; }

}  // namespace

double StageLogic::add(const llvm::Instruction& operation, int stage) {
  owners_.push_back(&operation);
  network_.set_owner(static_cast<int>(owners_.size()) - 1);
  Added added;
  added.stage = stage;
  added.bits = compute(operation, stage);
  for (const Bit bit : added.bits) added.arrival = std::max(added.arrival, network_.arrival(bit));
  for (const llvm::Value* value : operation.operands()) {  // so that no result is done before them
    const auto found = added_.find(llvm::dyn_cast<llvm::Instruction>(value));
    if (added.bits.empty() && found != added_.end() && found->second.stage == stage) {
      added.arrival = std::max(added.arrival, found->second.arrival);
    }
  }
  const double arrival = added.arrival;
  added_[&operation] = std::move(added);
  return arrival;
}

void StageLogic::add_register(const llvm::Instruction& operation, const StageLogic& whole,
                              int stage) {
  Added added;
  added.stage = stage;
  added.bits = whole.added_.at(&operation).bits;
  for (Bit& bit : added.bits) {
    if (is_constant_bit(bit)) continue;
    auto& leaf = known_[bit >> 1];
    if (leaf == 0) leaf = network_.leaf();
    bit = leaf ^ (bit & 1);
  }
  added_[&operation] = std::move(added);
}

StageLogic::Bits StageLogic::leaves(unsigned width) {
  Bits bits(width);
  for (Bit& bit : bits) bit = network_.leaf();
  return bits;
}

int StageLogic::added_stage(const llvm::Value& value) const {
  const auto found = added_.find(llvm::dyn_cast<llvm::Instruction>(&value));
  return found == added_.end() ? 0 : found->second.stage;
}

StageLogic::Bits StageLogic::operand(const llvm::Value& value, int stage) {
  if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    Bits bits(width_of(value));
    for (unsigned i = 0; i < bits.size(); ++i) bits[i] = constant->getValue()[i] ? 1 : 0;
    return bits;
  }
  const auto found = added_.find(llvm::dyn_cast<llvm::Instruction>(&value));
  if (found == added_.end()) {
    return llvm::isa<llvm::Constant>(value) ? Bits(width_of(value), kZeroBit)
                                            : leaves(width_of(value));
  }
  if (found->second.stage == stage) return found->second.bits;
  Bits bits = found->second.bits;
  for (Bit& bit : bits) {
    if (is_constant_bit(bit)) continue;
    auto& leaf = registered_[bit >> 1];
    if (leaf == 0) leaf = network_.leaf();
    bit = leaf ^ (bit & 1);
  }
  return bits;
}

const llvm::Instruction* StageLogic::inner(const llvm::Value& value, int stage) const {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  const auto found = added_.find(instruction);
  const bool inside = found != added_.end() && found->second.stage == stage;
  return inside && value.hasOneUse() ? instruction : nullptr;
}

void StageLogic::gather(const llvm::Value& value, unsigned opcode, int stage,
                        std::vector<Bits>& found) {
  constexpr std::size_t kMost = 64;  // of shared conditions
  const llvm::Instruction* instruction = inner(value, stage);
  if (!instruction && balances_choices_ && found.size() < kMost && added_stage(value) == stage) {
    const auto* shared = llvm::dyn_cast<llvm::Instruction>(&value);
    if (shared && shared->getType()->isIntegerTy(1)) instruction = shared;
  }
  if (instruction && instruction->getOpcode() == opcode) {
    for (const llvm::Value* one : instruction->operands()) gather(*one, opcode, stage, found);
  } else {
    found.push_back(operand(value, stage));
  }
}

void StageLogic::gather_summands(const llvm::Value& value, bool negative, int stage,
                                 std::vector<Bits>& found, std::vector<Bit>& carries) {
  const llvm::Instruction* instruction = inner(value, stage);
  const unsigned opcode = instruction ? instruction->getOpcode() : 0;
  if (opcode == llvm::Instruction::Add || opcode == llvm::Instruction::Sub) {
    gather_summands(*instruction->getOperand(0), negative, stage, found, carries);
    gather_summands(*instruction->getOperand(1), negative != (opcode == llvm::Instruction::Sub),
                    stage, found, carries);
    return;
  }
  const Bits bits = operand(value, stage);
  const bool single = std::all_of(bits.begin() + 1, bits.end(), [](Bit b) { return b == 0; });
  if (single && !negative && !llvm::isa<llvm::Constant>(value)) {
    carries.push_back(bits.front());
    return;
  }
  found.push_back(negative ? inverted(bits) : bits);
  if (negative) carries.push_back(kOneBit);
}

/// Three summands at a time become two, without a carry chain; one chain adds the last two.
StageLogic::Bits StageLogic::add_all(std::vector<Bits> summands, std::vector<Bit> carries) {
  const std::size_t width = summands.empty() ? 1 : summands.front().size();
  const Bits zero(width, kZeroBit);
  while (carries.size() > 1 || (!carries.empty() && summands.size() < 2)) {
    Bits one = zero;
    one.front() = carries.back();
    carries.pop_back();
    summands.push_back(one);
  }
  while (summands.size() < 2) summands.push_back(zero);
  while (summands.size() > 2) {
    const Bits a = summands[0];
    const Bits b = summands[1];
    const Bits c = summands[2];
    summands.erase(summands.begin(), summands.begin() + 3);
    Bits half = zero;
    Bits carry = zero;
    for (std::size_t i = 0; i < width; ++i) {
      const Bit differ = network_.lxor(a[i], b[i]);
      half[i] = network_.lxor(differ, c[i]);
      if (i + 1 < width) carry[i + 1] = network_.mux(differ, c[i], a[i]);
    }
    summands.push_back(half);
    summands.push_back(carry);
  }
  return network_.sum(summands[0], summands[1], carries.empty() ? kZeroBit : carries.front());
}

StageLogic::Bits StageLogic::arithmetic(const llvm::Instruction& operation, int stage) {
  std::vector<Bits> summands;
  std::vector<Bit> carries;
  gather_summands(*operation.getOperand(0), false, stage, summands, carries);
  gather_summands(*operation.getOperand(1), operation.getOpcode() == llvm::Instruction::Sub, stage,
                  summands, carries);
  if (summands.empty()) summands.emplace_back(width_of(operation), kZeroBit);
  return add_all(std::move(summands), std::move(carries));
}

StageLogic::Bits StageLogic::product(const llvm::Instruction& operation, int stage) {
  const unsigned width = width_of(operation);
  Bits a = effective(operand(*operation.getOperand(0), stage));
  Bits b = effective(operand(*operation.getOperand(1), stage));
  if (a.size() < b.size()) std::swap(a, b);
  if (static_cast<int>(std::min<std::size_t>(width, a.size() + b.size())) <
          model_.least_product_bits ||
      b.size() <= 2) {
    std::vector<Bits> rows;
    for (unsigned row = 0; row < b.size() && row < width; ++row) {
      Bits shifted_row(width, kZeroBit);
      for (unsigned i = row; i < width; ++i) {
        shifted_row[i] = network_.land(b[row], a[std::min<std::size_t>(i - row, a.size() - 1)]);
      }
      rows.push_back(shifted_row);
    }
    return add_all(std::move(rows), {});
  }
  const int across = ceil_divide(static_cast<int>(a.size()), model_.multiplier_a_bits);
  const int down = ceil_divide(static_cast<int>(b.size()), model_.multiplier_b_bits);
  Bits inputs = a;
  inputs.insert(inputs.end(), b.begin(), b.end());
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(), is_constant_bit), inputs.end());
  Bits result = network_.product(inputs, width, across * down);
  for (int parts = across * down; parts > 1; parts = ceil_divide(parts, 2)) {
    result = network_.sum(result, network_.product(inputs, width, 0), kZeroBit);
  }
  return result;
}

StageLogic::Bits StageLogic::logic(const llvm::Instruction& operation, int stage) {
  std::vector<Bits> parts;
  for (const llvm::Value* value : operation.operands()) {
    gather(*value, operation.getOpcode(), stage, parts);
  }
  Bits result(width_of(operation));
  for (unsigned i = 0; i < result.size(); ++i) {
    Bits bits;
    for (const Bits& part : parts) bits.push_back(part[i]);
    if (operation.getOpcode() == llvm::Instruction::And) result[i] = network_.all(bits);
    if (operation.getOpcode() == llvm::Instruction::Or) result[i] = network_.any(bits);
    if (operation.getOpcode() == llvm::Instruction::Xor) {
      result[i] = kZeroBit;
      for (const Bit bit : bits) result[i] = network_.lxor(result[i], bit);
    }
  }
  return result;
}

StageLogic::Bits StageLogic::choose(Bit select, const Bits& when_one, const Bits& when_zero) {
  Bits result(when_one.size());
  for (unsigned i = 0; i < result.size(); ++i) {
    result[i] = network_.mux(select, when_one[i], when_zero[i]);
  }
  return result;
}

/// In steps of 1, 2, 4, ...; bits shifted by more than the width vanish.
StageLogic::Bits StageLogic::shifted(unsigned opcode, const Bits& value, const Bits& amount) {
  Bits result = value;
  const unsigned width = static_cast<unsigned>(value.size());
  const bool left = opcode == llvm::Instruction::Shl;
  const Bit fill = opcode == llvm::Instruction::AShr ? value.back() : kZeroBit;
  Bits beyond;
  for (unsigned step = 0; step < amount.size(); ++step) {
    if (step >= 31 || (1u << step) >= width) {
      beyond.push_back(amount[step]);
      continue;
    }
    const unsigned by = 1u << step;
    Bits moved(width, fill);
    for (unsigned i = 0; i + by < width; ++i) {
      if (left) {
        moved[i + by] = result[i];
      } else {
        moved[i] = result[i + by];
      }
    }
    result = choose(amount[step], moved, result);
  }
  if (!beyond.empty()) result = choose(network_.any(beyond), Bits(width, fill), result);
  return result;
}

StageLogic::Bits StageLogic::shift(const llvm::Instruction& operation, int stage) {
  Bits amount = operand(*operation.getOperand(1), stage);
  // Amounts of the width or more are undefined, so the bits for them are ignored.
  unsigned used = 0;
  while (used < amount.size() && (1ull << used) < width_of(operation)) ++used;
  amount.resize(used);
  return shifted(operation.getOpcode(), operand(*operation.getOperand(0), stage), amount);
}

Bit StageLogic::compare(unsigned predicate, Bits a, Bits b) {
  using Compare = llvm::CmpInst;
  const auto kind = static_cast<Compare::Predicate>(predicate);
  if (kind == Compare::ICMP_EQ || kind == Compare::ICMP_NE) {
    Bits differ;
    for (unsigned i = 0; i < a.size(); ++i) differ.push_back(network_.lxor(a[i], b[i]));
    const Bit any = network_.any(differ);
    return kind == Compare::ICMP_NE ? any : compiler::inverted(any);
  }
  if (llvm::ICmpInst::isSigned(kind)) {
    a.back() = compiler::inverted(a.back());
    b.back() = compiler::inverted(b.back());
  }
  const bool swap = kind == Compare::ICMP_UGT || kind == Compare::ICMP_SGT ||
                    kind == Compare::ICMP_ULE || kind == Compare::ICMP_SLE;
  const Bit less = swap ? network_.less(b, a) : network_.less(a, b);
  const bool strict = kind == Compare::ICMP_ULT || kind == Compare::ICMP_SLT ||
                      kind == Compare::ICMP_UGT || kind == Compare::ICMP_SGT;
  return strict ? less : compiler::inverted(less);
}

Bit StageLogic::compare(const llvm::Instruction& operation, int stage) {
  return compare(llvm::cast<llvm::ICmpInst>(operation).getPredicate(),
                 operand(*operation.getOperand(0), stage),
                 operand(*operation.getOperand(1), stage));
}

StageLogic::Bits StageLogic::compute(const llvm::Instruction& operation, int stage) {
  using llvm::Instruction;
  const unsigned width = width_of(operation);
  if (width == 0) return {};
  GuardedShift guarded;
  if (is_guarded_shift(operation, guarded)) {
    const auto kind =
        guarded.kind == GuardedShift::Kind::kRight ? Instruction::LShr : Instruction::Shl;
    const Bits result =
        shifted(kind, operand(*guarded.value, stage), operand(*guarded.amount, stage));
    return guarded.kind == GuardedShift::Kind::kNotLeft ? inverted(result) : result;
  }
  switch (operation.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
      return arithmetic(operation, stage);
    case Instruction::Mul:
      return product(operation, stage);
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return logic(operation, stage);
    case Instruction::Select: {
      Bits chosen = choose(operand(*operation.getOperand(0), stage).front(),
                           operand(*operation.getOperand(1), stage),
                           operand(*operation.getOperand(2), stage));
      if (!balances_choices_) return chosen;
      const Bits tree = choose_as_tree(operation, stage);
      for (std::size_t i = 0; i < tree.size(); ++i) {
        if (network_.arrival(tree[i]) < network_.arrival(chosen[i])) chosen[i] = tree[i];
      }
      return chosen;
    }
    case Instruction::Shl:
    case Instruction::LShr:
    case Instruction::AShr:
      return shift(operation, stage);
    case Instruction::ICmp:
      return {compare(operation, stage)};
    case Instruction::Freeze:
      return operand(*operation.getOperand(0), stage);
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt: {
      Bits bits = operand(*operation.getOperand(0), stage);
      const bool copies_sign = operation.getOpcode() == Instruction::SExt;
      bits.resize(width, copies_sign ? bits.back() : kZeroBit);
      return bits;
    }
    default:
      if (is_operation(operation, Operation::kLoad)) return element(operation, stage);
      return leaves(width);  // a port or a register
  }
}

/// A choice whose other value is a choice, and so on, by halves: does one of the first conditions
/// hold? Empty where there is no chain.
StageLogic::Bits StageLogic::choose_as_tree(const llvm::Instruction& select, int stage) {
  constexpr std::size_t kLongest = 256;
  Bits conditions;
  std::vector<Bits> values;
  const llvm::Value* rest = &select;
  while (const auto* one = llvm::dyn_cast<llvm::SelectInst>(rest)) {
    const bool goes_on = llvm::isa<llvm::SelectInst>(one->getFalseValue()) ||
                         !llvm::isa<llvm::SelectInst>(one->getTrueValue());
    const Bit condition = operand(*one->getCondition(), stage).front();
    conditions.push_back(goes_on ? condition : inverted(condition));
    values.push_back(operand(goes_on ? *one->getTrueValue() : *one->getFalseValue(), stage));
    rest = goes_on ? one->getFalseValue() : one->getTrueValue();
    if (values.size() == kLongest) break;
  }
  if (values.size() < 3) return {};
  values.push_back(operand(*rest, stage));
  // Halves are counted from the end, which choices further down the chain share.
  const auto choose_from = [&](const auto& self, std::size_t from, std::size_t to) -> Bits {
    if (to - from == 1) return values[from];
    const std::size_t middle = to - std::bit_floor(to - from - 1);
    const Bit first = network_.any({conditions.begin() + static_cast<long>(from),
                                    conditions.begin() + static_cast<long>(middle)});
    return choose(first, self(self, from, middle), self(self, middle, to));
  };
  return choose_from(choose_from, 0, values.size());
}

/// An element of a register array: a choice for each bit of its index.
StageLogic::Bits StageLogic::element(const llvm::Instruction& load, int stage) {
  const unsigned width = width_of(load);
  Bits result = leaves(width);
  for (const Bit bit : operand(*load.getOperand(1), stage)) {
    if (!is_constant_bit(bit)) result = choose(bit, leaves(width), result);
  }
  return result;
}

int StageLogic::distinct_bits(const llvm::Instruction& operation) const {
  std::set<int> nodes;
  for (const Bit bit : added_.at(&operation).bits) {
    if (!is_constant_bit(bit)) nodes.insert(bit >> 1);
  }
  return static_cast<int>(nodes.size());
}

StageLogic::Path StageLogic::path(const llvm::Instruction& operation) const {
  const Added& added = added_.at(&operation);
  Path path;
  path.ns = added.arrival;
  const llvm::Instruction* last = &operation;
  for (const Bit bit : added.bits) {
    if (network_.arrival(bit) < added.arrival - 1e-9) continue;
    path.parts = network_.path(bit);
    break;
  }
  path.operations.push_back(last);
  for (const int owner : path.parts.owners) {
    if (owner < 0 || owners_[owner] == last) continue;
    last = owners_[owner];
    path.operations.push_back(last);
  }
  std::reverse(path.operations.begin(), path.operations.end());
  return path;
}

BitNetwork::Area StageLogic::area(const std::vector<const llvm::Value*>& values,
                                  double period_ns) const {
  std::vector<Bit> roots;
  for (const llvm::Value* value : values) {
    const auto found = added_.find(llvm::dyn_cast<llvm::Instruction>(value));
    if (found != added_.end()) {
      roots.insert(roots.end(), found->second.bits.begin(), found->second.bits.end());
    }
  }
  return network_.area(roots, period_ns);
}

}  // namespace systole::compiler
