#include "hls/compiler/report/describe.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

std::string kind_of(const llvm::Instruction& operation) {
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&operation)) {
    return "compare " + llvm::CmpInst::getPredicateName(compare->getPredicate()).str();
  }
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&operation)) {
    return llvm::Intrinsic::getBaseName(call->getIntrinsicID()).drop_front(5).str();
  }
  return operation.getOpcodeName();
}

/// The source lines of a path, repeated neighbours once.
std::vector<std::string> positions_of(const std::vector<const llvm::Instruction*>& operations) {
  std::vector<std::string> positions;
  for (const llvm::Instruction* operation : operations) {
    const std::string position = short_position(operation->getDebugLoc());
    if (!position.empty() && (positions.empty() || positions.back() != position)) {
      positions.push_back(position);
    }
  }
  return positions;
}

OperationReport describe_operation(const llvm::Instruction& operation, const std::string& name,
                                   const Schedule& schedule) {
  OperationReport report{.name = name,
                         .kind = kind_of(operation),
                         .position = short_position(operation.getDebugLoc()),
                         .width = static_cast<int>(width_of(operation)),
                         .stage = schedule.stage_of.at(&operation),
                         .start_ns = 0,
                         .done_ns = schedule.done_ns.at(&operation)};
  for (const llvm::Value* operand : operation.operands()) {
    const auto source = schedule.stage_of.find(llvm::dyn_cast<llvm::Instruction>(operand));
    if (source != schedule.stage_of.end() && source->second == report.stage) {
      report.start_ns = std::max(report.start_ns, schedule.done_ns.at(source->first));
    }
  }
  report.start_ns = std::min(report.start_ns, report.done_ns);
  return report;
}

}  // namespace

PipelineReport describe_pipeline(const LoweredFunction& function, const Schedule& schedule,
                                 std::int64_t lanes, const DelayModel& model) {
  PipelineReport report{.function = function.name,
                        .stages = schedule.stages,
                        .lanes = lanes,
                        .register_bits = schedule.register_bits(),
                        .slowest_ns = schedule.slowest_ns,
                        .register_ns = model.register_ns,
                        .stage_reports = {},
                        .operations = {},
                        .area = {schedule.area.tables, schedule.area.carry_bits,
                                 schedule.area.multipliers, schedule.area.flip_flops}};
  for (int stage = 0; stage < schedule.stages; ++stage) {
    const StagePath& path = schedule.paths[stage];
    StageReport one{.ns = schedule.stage_ns[stage],
                    .register_bits = 0,
                    .tables = path.tables,
                    .extra_inputs = path.extra_inputs,
                    .chains = path.chains,
                    .carry_bits = path.carry_bits,
                    .multipliers = path.multipliers,
                    .positions = positions_of(path.operations)};
    if (stage + 1 < schedule.stages) {
      for (const llvm::Value* value : schedule.registers[stage]) {
        one.register_bits += width_of(*value);
      }
    } else {
      one.register_bits = schedule.area.flip_flops - report.register_bits;
    }
    report.stage_reports.push_back(one);
  }
  const auto names = value_names(*function.body);
  for (const llvm::Instruction& operation : function.body->getEntryBlock()) {
    if (schedule.stage_of.count(&operation) == 0 || is_wiring(operation) ||
        is_any_operation(operation)) {
      continue;
    }
    const auto name = names.find(&operation);
    report.operations.push_back(
        describe_operation(operation, name == names.end() ? "" : name->second.front(), schedule));
  }
  return report;
}

ModuleReport describe_module(const LoweredModule& module) {
  ModuleReport report;
  for (const Leaf& leaf : module.state) {
    if (leaf.kind == LeafKind::kInteger) report.register_bits += leaf.width * leaf.elements();
  }
  return report;
}

}  // namespace systole::compiler
