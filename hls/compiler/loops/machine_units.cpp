#include "hls/compiler/loops/machine_units.h"

#include <fmt/format.h>

#include <algorithm>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/machine_ports.h"

namespace systole::compiler {

void MachineUnits::call(int unit, int copy, llvm::Value* when,
                        const std::vector<llvm::Value*>& arguments) {
  instance(unit, copy).calls.push_back({when, arguments});
}

MachineUnits::Instance& MachineUnits::instance(int number, int copy) {
  const auto [found, is_new] = instances_.try_emplace({number, copy});
  Instance& one = found->second;
  if (!is_new) return one;
  const KernelUnit& unit = this->unit(number);
  const int same = ++names_[unit.name];
  one.name = same == 1 ? unit.name : fmt::format("{}_{}", unit.name, same);
  if (unit.is_iterative) {
    one.remainder = registers_.add(one.name + "_remainder", unit.result[1].width);
    one.quotient = registers_.add(one.name + "_quotient", unit.argument_bits[0]);
    one.divisor = registers_.add(one.name + "_divisor", unit.argument_bits[1]);
    return one;
  }
  Leaf leaf = MachinePorts::leaf(one.name, 0);
  leaf.kind = LeafKind::kPipeline;
  machine_.module.state.push_back(leaf);
  one.leaf = static_cast<int>(machine_.module.state.size()) - 1;
  machine_.module.pipelines[one.leaf] = {.function = unit.function, .stages = unit.stages};
  machine_.units[one.leaf] = number;
  return one;
}

llvm::Value* MachineUnits::result(int number, int copy) {
  Instance& one = instance(number, copy);
  const KernelUnit& unit = this->unit(number);
  if (one.result) return one.result;
  if (!unit.is_iterative) return one.result = pipeline_result(one, unit);
  llvm::Type* type = builder_.getIntNTy(unit.result_bits);
  llvm::Value* high = builder_.CreateShl(builder_.CreateZExt(registers_.now(one.remainder), type),
                                         unit.argument_bits[0]);
  return one.result =
             builder_.CreateOr(builder_.CreateZExt(registers_.now(one.quotient), type), high);
}

llvm::Value* MachineUnits::pipeline_result(const Instance& one, const KernelUnit& unit) {
  llvm::Type* type = builder_.getIntNTy(unit.result_bits);
  llvm::Value* result = nullptr;
  unsigned low = 0;
  for (std::size_t field = 0; field < unit.result.size(); ++field) {
    const Leaf& leaf = unit.result[field];
    if (field == 1 && !unit.reads_remainder) break;  // the function leaves it out
    for (std::int64_t element = 0; element < leaf.elements(); ++element) {
      llvm::Value* part = builder_.CreateZExt(
          emit_operation(builder_, Operation::kPipelineOutput, builder_.getIntNTy(leaf.width),
                         {builder_.getInt32(static_cast<unsigned>(one.leaf)), builder_.getInt32(0),
                          builder_.getInt32(static_cast<unsigned>(field)),
                          builder_.getInt64(static_cast<std::uint64_t>(element))}),
          type);
      if (low > 0) part = builder_.CreateShl(part, low);
      result = result ? builder_.CreateOr(result, part) : part;
      low += leaf.width;
    }
  }
  return result;
}

/// The arguments of the call that is active; of the last one if none is.
std::vector<llvm::Value*> MachineUnits::chosen(const std::vector<Call>& calls) const {
  std::vector<llvm::Value*> result = calls.back().arguments;
  for (std::size_t i = calls.size() - 1; i-- > 0;) {
    for (std::size_t k = 0; k < result.size(); ++k) {
      result[k] = builder_.CreateSelect(calls[i].when, calls[i].arguments[k], result[k]);
    }
  }
  return result;
}

void MachineUnits::drive(llvm::Value* moves) {
  for (const auto& [key, one] : instances_) {
    const KernelUnit& unit = this->unit(key.first);
    if (unit.is_iterative) {
      divide(one, unit);
      continue;
    }
    llvm::Type* stages = builder_.getIntNTy(static_cast<unsigned>(unit.stages));
    std::vector<llvm::Value*> arguments = {
        builder_.getInt32(static_cast<unsigned>(one.leaf)), builder_.getInt32(0),
        moves ? builder_.CreateSExt(moves, stages) : llvm::ConstantInt::getAllOnesValue(stages)};
    const std::vector<llvm::Value*> operands = chosen(one.calls);
    arguments.insert(arguments.end(), operands.begin(), operands.end());
    emit_operation(builder_, Operation::kPipelineClock, nullptr, arguments);
  }
}

/// The dividend leaves the quotient's register at its top, a bit a clock, and the quotient enters
/// at its bottom. Clocks after the last bit change what nobody reads.
void MachineUnits::divide(const Instance& one, const KernelUnit& unit) {
  const unsigned bits = unit.argument_bits[0];
  const unsigned remainder_bits = unit.result[1].width;
  llvm::Type* wide = builder_.getIntNTy(std::max(remainder_bits + 1, unit.argument_bits[1]) + 1);
  llvm::Value* quotient = registers_.now(one.quotient);
  llvm::Value* top = builder_.CreateLShr(quotient, bits - 1);
  llvm::Value* shifted = builder_.CreateOr(
      builder_.CreateShl(builder_.CreateZExt(registers_.now(one.remainder), wide), 1),
      builder_.CreateZExtOrTrunc(top, wide));
  llvm::Value* difference =
      builder_.CreateSub(shifted, builder_.CreateZExt(registers_.now(one.divisor), wide));
  llvm::Value* fits =
      builder_.CreateICmpSGE(difference, llvm::ConstantInt::get(wide, 0), one.name + "_fits");
  registers_.write(one.remainder, builder_.getTrue(),
                   builder_.CreateTrunc(builder_.CreateSelect(fits, difference, shifted),
                                        builder_.getIntNTy(remainder_bits)));
  llvm::Value* moved = bits == 1
                           ? builder_.CreateZExt(fits, quotient->getType())
                           : builder_.CreateOr(builder_.CreateShl(quotient, 1),
                                               builder_.CreateZExt(fits, quotient->getType()));
  registers_.write(one.quotient, builder_.getTrue(), moved);
  llvm::Value* starts = builder_.getFalse();
  for (const Call& call : one.calls) starts = builder_.CreateOr(starts, call.when);
  const std::vector<llvm::Value*> operands = chosen(one.calls);
  registers_.write(one.remainder, starts, builder_.getIntN(remainder_bits, 0));
  registers_.write(one.quotient, starts, operands[0]);
  registers_.write(one.divisor, starts, operands[1]);
}

}  // namespace systole::compiler
