#include "hls/compiler/emit/pipeline.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/passes/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// The parameters as the source calls them.
std::vector<std::string> parameter_names(const LoweredFunction& function) {
  std::vector<std::string> names(function.arguments.size());
  for (unsigned i = 0; i < names.size(); ++i) names[i] = fmt::format("argument_{}", i);
  for (const llvm::DINode* node : function.body->getSubprogram()->getRetainedNodes()) {
    const auto* variable = llvm::dyn_cast<llvm::DILocalVariable>(node);
    if (variable && variable->getArg() != 0 && variable->getArg() <= names.size()) {
      names[variable->getArg() - 1] = variable->getName().str();
    }
  }
  return names;
}

}  // namespace

PipelineText::PipelineText(const Leaf& leaf, const LoweredFunction& function,
                           const Schedule& schedule, Names& names)
    : leaf_(leaf), function_(function), schedule_(schedule), lanes_(leaf.elements()) {
  const std::string base = without_underscore(leaf.name);
  result_name_ = names.unique(base + "_q");
  argument_names_ = parameter_names(function);
  value_names_ = value_names(*function.body);
  for (const llvm::Instruction& instruction : function.body->getEntryBlock()) {
    if (is_operation(instruction, Operation::kReadPort)) {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      value_names_[&instruction] = argument_names_[constant_argument(call, 0)];
    }
  }
  registers_.resize(schedule.registers.size());
  for (std::size_t stage = 0; stage < schedule.registers.size(); ++stage) {
    for (const llvm::Value* value : schedule.registers[stage]) {
      registers_[stage][value] =
          names.unique(fmt::format("{}_s{}_{}_q", base, stage, value_names_[value]));
    }
  }
}

std::string PipelineText::element(const std::string& name, const std::string& index) const {
  return index.empty() ? name : fmt::format("{}[{}]", name, index);
}

void PipelineText::declare(Writer& writer) const {
  const std::string dimension = is_array() ? array_dimension(lanes_) : "";
  for (std::size_t stage = 0; stage < registers_.size(); ++stage) {
    for (const llvm::Value* value : schedule_.registers[stage]) {
      writer.line(fmt::format("{} {}{};", logic_type(value->getType()->getIntegerBitWidth()),
                              registers_[stage].at(value), dimension));
    }
  }
  writer.line(fmt::format("{} {}{};", logic_type(result_width()), result_name_, dimension));
}

Writer PipelineText::stage(int stage, const std::string& index,
                           const std::vector<Reference>& arguments, Temporaries& temporaries,
                           const Writer& shape) const {
  Writer writer = shape;
  const char* assign = is_array() ? "=" : "<=";
  ExpressionPrinter printer([](const llvm::Value&, Reference&) { return false; });
  if (stage > 0) {
    for (const auto& [value, name] : registers_[stage - 1]) {
      const unsigned width = value->getType()->getIntegerBitWidth();
      printer.name(*value, {element(name, index), 0, width, width});
    }
  }
  const auto registered = [&](const llvm::Value* value) {
    return stage < static_cast<int>(registers_.size()) && registers_[stage].count(value) != 0;
  };
  std::string position;
  for (llvm::Instruction& instruction : function_.body->getEntryBlock()) {
    const auto at = schedule_.stage_of.find(&instruction);
    if (at == schedule_.stage_of.end() || at->second != stage) continue;
    if (is_operation(instruction, Operation::kReadPort)) {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      printer.name(instruction, arguments[constant_argument(call, 0)]);
      continue;
    }
    if (is_operation(instruction, Operation::kWritePort)) continue;
    const std::string variable = variable_name(instruction);
    bool leaves_stage = false;
    for (const llvm::User* user : instruction.users()) {
      const auto found = schedule_.stage_of.find(llvm::cast<llvm::Instruction>(user));
      leaves_stage = leaves_stage || (found != schedule_.stage_of.end() && found->second != stage);
    }
    const bool only_registered =
        leaves_stage && registered(&instruction) && instruction.hasOneUse();
    if (only_registered || !deserves_signal(instruction, variable)) continue;
    const unsigned width = instruction.getType()->getIntegerBitWidth();
    const std::string name = temporaries.add(value_names_.at(&instruction), width);
    const std::string here = short_position(instruction.getDebugLoc());
    const std::string text = fmt::format("{} = {};", name, printer.expression(instruction));
    writer.line(here.empty() || here == position ? text : fmt::format("{}  // {}", text, here));
    position = here.empty() ? position : here;
    printer.name(instruction, {name, 0, width, width});
  }
  if (stage < static_cast<int>(registers_.size())) {
    for (const llvm::Value* value : schedule_.registers[stage]) {
      writer.line(fmt::format("{} {} {};", element(registers_[stage].at(value), index), assign,
                              printer.assigned(*value)));
    }
  } else {
    for (const llvm::Instruction& instruction : function_.body->getEntryBlock()) {
      if (!is_operation(instruction, Operation::kWritePort)) continue;
      const llvm::Value& result = *llvm::cast<llvm::CallInst>(instruction).getArgOperand(2);
      writer.line(
          fmt::format("{} {} {};", element(result_name_, index), assign, printer.assigned(result)));
    }
  }
  return writer;
}

}  // namespace systole::compiler
