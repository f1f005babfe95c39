#include "hls/compiler/loops/plan_units.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/unit_functions.h"
#include "hls/compiler/lower/lower.h"
#include "hls/compiler/schedule/stage_logic.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using llvm::Instruction;
using llvm::Value;

class Planner {
 public:
  Planner(LoweredKernel& kernel, const llvm::Module& source, const DelayModel& model,
          double clock_ns, bool overlaps, const std::set<int>& iterative)
      : kernel_(kernel),
        source_(source),
        model_(model),
        clock_ns_(clock_ns),
        overlaps_(overlaps),
        iterative_(iterative) {}

  std::map<int, UnitFunction> run() {
    cut_products();
    for (int number = 0; number < static_cast<int>(kernel_.units.size()); ++number) plan(number);
    return std::move(functions_);
  }

 private:
  // ---- Products ----

  void cut_products() {
    std::vector<llvm::BinaryOperator*> slow;
    for (Instruction& instruction : llvm::instructions(*kernel_.body)) {
      auto* product = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
      if (!product || product->getOpcode() != Instruction::Mul) continue;
      if (llvm::isa<llvm::Constant>(product->getOperand(1))) continue;
      if (alone_ns(*product) > clock_ns_ - model_.register_ns) slow.push_back(product);
    }
    for (llvm::BinaryOperator* product : slow) cut(*product);
  }

  /// The delay from registers, with what extends the operands.
  double alone_ns(const llvm::BinaryOperator& product) const {
    StageLogic logic(model_);
    for (const Value* operand : product.operands()) {
      if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(operand)) logic.add(*cast, 0);
    }
    return logic.add(product, 0);
  }

  struct Operand {
    Value* value = nullptr;
    bool is_signed = false;
  };
  static Operand operand(Value* value) {
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
    if (cast && llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast)) {
      return {cast->getOperand(0), llvm::isa<llvm::SExtInst>(cast)};
    }
    return {value, false};
  }

  void cut(llvm::BinaryOperator& product) {
    const Operand left = operand(product.getOperand(0));
    const Operand right = operand(product.getOperand(1));
    const KernelUnit wanted{.kind = KernelUnit::Kind::kProduct,
                            .name = "product",
                            .argument_bits = {width_of(*left.value), width_of(*right.value)},
                            .is_signed = {left.is_signed, right.is_signed},
                            .result_bits = width_of(product)};
    llvm::IRBuilder<> builder(&product);
    Value* call =
        emit_operation(builder, Operation::kUnit, product.getType(),
                       {builder.getInt32(static_cast<unsigned>(product_unit(wanted))),
                        builder.getInt32(0), builder.getInt32(1), left.value, right.value});
    call->takeName(&product);
    product.replaceAllUsesWith(call);
    product.eraseFromParent();
  }

  int product_unit(KernelUnit wanted) {
    for (std::size_t i = 0; i < kernel_.units.size(); ++i) {
      const KernelUnit& one = kernel_.units[i];
      if (one.kind == wanted.kind && one.argument_bits == wanted.argument_bits &&
          one.is_signed == wanted.is_signed && one.result_bits == wanted.result_bits) {
        return static_cast<int>(i);
      }
    }
    Leaf result;
    result.name = "result";
    result.width = wanted.result_bits;
    wanted.result = {result};
    kernel_.units.push_back(wanted);
    return static_cast<int>(kernel_.units.size()) - 1;
  }

  // ---- Every unit ----

  void plan(int number) {
    KernelUnit& unit = kernel_.units[static_cast<std::size_t>(number)];
    const std::vector<llvm::CallInst*> calls = calls_of(number);
    if (unit.kind == KernelUnit::Kind::kDivision &&
        (iterative_.count(number) != 0 || !needs_pipeline(calls, unit))) {
      unit.is_iterative = true;
      unit.stages = static_cast<int>(unit.argument_bits[0]) + 1;
    } else {
      unit.reads_remainder = std::any_of(calls.begin(), calls.end(), [&](const auto* call) {
        return reads_above(*call, unit.argument_bits[0]);
      });
      UnitFunction function = make(unit);
      unit.stages = function.schedule.stages;
      unit.first_ns = function.schedule.stage_ns.front() - model_.register_ns;
      functions_[number] = std::move(function);
    }
    for (llvm::CallInst* call : calls) {
      llvm::IRBuilder<> builder(call);
      call->setArgOperand(1, builder.getInt32(static_cast<unsigned>(unit.stages)));
      call->setArgOperand(2, builder.getInt32(static_cast<unsigned>(unit.occupancy())));
    }
  }

  std::vector<llvm::CallInst*> calls_of(int unit) const {
    std::vector<llvm::CallInst*> calls;
    for (Instruction& instruction : llvm::instructions(*kernel_.body)) {
      if (is_operation(instruction, Operation::kUnit) && leaf_of(instruction) == unit) {
        calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
      }
    }
    return calls;
  }

  /// Whether something other than a truncation to the lowest bits reads a value.
  static bool reads_above(const llvm::CallInst& call, unsigned bits) {
    return std::any_of(call.user_begin(), call.user_end(), [&](const llvm::User* user) {
      return !llvm::isa<llvm::TruncInst>(user) || width_of(*user) > bits;
    });
  }

  /// Whether a loop around a call starts iterations more often than a division of one bit a clock
  /// could follow.
  bool needs_pipeline(const std::vector<llvm::CallInst*>& calls, const KernelUnit& unit) {
    if (!overlaps_) return false;
    KernelAnalyses analyses(*kernel_.body);
    return std::any_of(calls.begin(), calls.end(), [&](const llvm::CallInst* call) {
      const llvm::Loop* loop = analyses.loops().getLoopFor(call->getParent());
      if (!loop || loop->getNumBlocks() != 1 || !loop->getExitingBlock()) return false;
      const int asked = interval_asked(*loop).value_or(1);
      return asked != 0 &&
             asked <= static_cast<int>(unit.argument_bits[0]) * static_cast<int>(calls.size());
    });
  }

  UnitFunction make(const KernelUnit& unit) const {
    UnitFunction made;
    if (unit.kind == KernelUnit::Kind::kFunction) {
      made.program = llvm::CloneModule(source_);
      made.function = lower_function(*made.program, unit.function);
      made.schedule = cut_into_stages(*made.function.body, unit.stages, model_);
      return made;
    }
    made.program = std::make_shared<llvm::Module>("unit", kernel_.body->getContext());
    made.program->setDataLayout(kernel_.body->getParent()->getDataLayout());
    made.function = unit.kind == KernelUnit::Kind::kDivision
                        ? division_function(*made.program, unit)
                        : product_function(*made.program, unit, model_);
    const int most = static_cast<int>(unit.argument_bits[0]);
    try {
      made.schedule = least_stages(*made.function.body, clock_ns_, model_);
    } catch (const Refusal&) {  // the clock is shorter than one step; timing says so
      made.schedule = cut_into_stages(*made.function.body, most, model_);
    }
    return made;
  }

  LoweredKernel& kernel_;
  const llvm::Module& source_;
  const DelayModel& model_;
  double clock_ns_;
  bool overlaps_;
  const std::set<int>& iterative_;
  std::map<int, UnitFunction> functions_;
};

}  // namespace

std::map<int, UnitFunction> plan_units(LoweredKernel& kernel, const llvm::Module& source,
                                       const DelayModel& model, double clock_ns, bool overlaps,
                                       const std::set<int>& iterative) {
  return Planner(kernel, source, model, clock_ns, overlaps, iterative).run();
}

}  // namespace systole::compiler
