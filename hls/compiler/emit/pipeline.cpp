#include "hls/compiler/emit/pipeline.h"

#include <fmt/format.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/identifier.h"
#include "hls/compiler/emit/instances.h"
#include "hls/compiler/emit/signals.h"
#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/emit/vector_writes.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// The source's name of every element of an argument: "scale", "pixel_red", "row_0", "row_1".
std::vector<std::string> element_names(const std::vector<Leaf>& arguments) {
  std::vector<std::string> names;
  for (const Leaf& leaf : arguments) {
    for (std::int64_t i = 0; i < leaf.elements(); ++i) {
      const std::string name = without_underscore(leaf.name);
      names.push_back(leaf.elements() == 1 ? name : fmt::format("{}_{}", name, i));
    }
  }
  return names;
}

/// The index of the argument that this reads.
unsigned argument_of(const llvm::CallInst& read, const LoweredFunction& function) {
  return element_index(function.arguments, leaf_of(read), constant_argument(read, 1));
}

}  // namespace

PipelineText::PipelineText(const Leaf& leaf, const LoweredFunction& function,
                           const Schedule& schedule, Names& names, Tables& tables)
    : function_(function), schedule_(schedule), tables_(tables), lanes_(leaf.elements()) {
  tables.add(*function.body);
  base_name_ = identifier(without_underscore(leaf.name));
  const std::string& base = base_name_;
  for (const llvm::Instruction& instruction : function.body->getEntryBlock()) {
    if (!is_operation(instruction, Operation::kWritePort)) continue;
    const int field = leaf_of(instruction);
    if (result_names_.count(field) != 0) continue;
    const std::string member = function.result[field].name.substr(std::string("result").size());
    result_names_[field] = names.unique(base + without_underscore(member) + "_q");
  }
  argument_names_ = element_names(function.arguments);
  value_names_ = value_names(*function.body, [this](const llvm::CallInst& call) {
    const bool is_argument = is_operation(call, Operation::kReadPort);
    return is_argument ? argument_names_[argument_of(call, function_)] : "";
  });
  for (const llvm::Instruction& instruction : function.body->getEntryBlock()) {
    if (is_operation(instruction, Operation::kReadPort)) {
      const unsigned argument = argument_of(llvm::cast<llvm::CallInst>(instruction), function);
      value_names_[&instruction] = {argument_names_[argument]};
      read_.insert(argument);
    }
  }
  registers_.resize(schedule.registers.size());
  for (std::size_t stage = 0; stage < schedule.registers.size(); ++stage) {
    for (const llvm::Value* value : schedule.registers[stage]) {
      const auto is_later = [&](const llvm::Instruction& user) {
        const auto found = schedule.stage_of.find(&user);
        return found != schedule.stage_of.end() && found->second > static_cast<int>(stage);
      };
      NameChoices locals, signals;
      for (const std::string& choice : value_names_[value]) {
        locals.push_back(fmt::format("s{}_{}", stage, choice));
        signals.push_back(fmt::format("{}_{}_q", base, locals.back()));
      }
      registers_[stage][value] = {names.unique(signals), locals, read_bits(*value, is_later)};
    }
  }
}

sv::Expression PipelineText::element(const std::string& name, const sv::Expression& index) {
  return index.empty() ? sv::Expression(name) : sv::element(name, index);
}

unsigned PipelineText::result_width() const {
  unsigned width = 0;
  for (const auto& [field, name] : result_names_) {
    width += bits_of(function_.result[field]);
  }
  return width;
}

Reference PipelineText::result(std::int64_t field, std::int64_t element,
                               const sv::Expression& index) const {
  return element_of(this->element(result_names_.at(field), index), function_.result[field],
                    element);
}

void PipelineText::declare(sv::Statements& out) const {
  const unsigned size = is_array() ? array_size(lanes_) : 0;
  for (std::size_t stage = 0; stage < registers_.size(); ++stage) {
    for (const llvm::Value* value : schedule_.registers[stage]) {
      const Register& one = registers_[stage].at(value);
      sv::Statement made = sv::declaration(one.name, one.bits.width(), size);
      made.label = fmt::format("stage {}", stage);
      out.add(std::move(made));
    }
  }
  for (const auto& [field, name] : result_names_) {
    out.add(sv::declaration(name, bits_of(function_.result[field]), size));
  }
}

/// Whether an operation reads the value whole, as an operand that may be an element of an array.
static bool reads_whole(const llvm::Instruction& user) {
  if (const auto* test = llvm::dyn_cast<llvm::ICmpInst>(&user)) return !test->isSigned();
  return llvm::isa<llvm::SelectInst, llvm::ZExtInst>(user) ||
         (llvm::isa<llvm::BinaryOperator>(user) && !is_wiring(user));
}

/// Whether a stage reads the register at several places, or parts of it.
bool PipelineText::needs_local(const llvm::Value& value, int stage) const {
  unsigned reads = 0;
  for (const llvm::User* user : value.users()) {
    const auto* instruction = llvm::cast<llvm::Instruction>(user);
    const auto at = schedule_.stage_of.find(instruction);
    const bool is_here = at != schedule_.stage_of.end() && at->second == stage &&
                         !is_operation(*instruction, Operation::kWritePort);
    if (!is_here) continue;
    if (width_of(value) > 1 && !reads_whole(*instruction)) return true;
    ++reads;
  }
  return reads > 1;
}

void PipelineText::read_registers(int stage, const sv::Expression& index, Temporaries& temporaries,
                                  ExpressionBuilder& printer, FloatFields& floats,
                                  sv::Statements& out) const {
  for (const llvm::Value* value : schedule_.registers[stage - 1]) {
    const Register& one = registers_[stage - 1].at(value);
    const unsigned width = width_of(*value);
    sv::Expression name = element(one.name, index);
    if (is_array() && needs_local(*value, stage)) {
      const std::string local = temporaries.add(one.locals, one.bits.width());
      out.assign(local, "=", name);
      name = local;
    }
    const Reference signal{name, 0, width, one.bits.width(), one.bits.low};
    printer.name(*value, signal);
    floats.split(*value, signal, !index.empty(), temporaries, out);
  }
}

sv::Statements PipelineText::stage(int stage, const sv::Expression& index,
                                   const std::vector<Reference>& arguments,
                                   Temporaries& temporaries) const {
  Temporaries for_trial = temporaries;
  FloatFields trial;
  const sv::Statements first = this->stage(stage, index, arguments, for_trial, trial);
  FloatFields floats = trial.worth_a_variable(first);
  return this->stage(stage, index, arguments, temporaries, floats);
}

sv::Statements PipelineText::stage(int stage, const sv::Expression& index,
                                   const std::vector<Reference>& arguments,
                                   Temporaries& temporaries, FloatFields& floats) const {
  sv::Statements out;
  temporaries.open();
  const char* assign = is_array() ? "=" : "<=";
  ExpressionBuilder printer([](const llvm::Value&, Reference&) { return false; });
  printer.use(tables_);
  printer.use(floats);
  if (stage > 0) read_registers(stage, index, temporaries, printer, floats, out);
  const auto registered = [&](const llvm::Value* value) {
    return stage < static_cast<int>(registers_.size()) && registers_[stage].count(value) != 0;
  };
  std::string position;
  for (llvm::Instruction& instruction : function_.body->getEntryBlock()) {
    const auto at = schedule_.stage_of.find(&instruction);
    if (at == schedule_.stage_of.end() || at->second != stage) continue;
    if (is_operation(instruction, Operation::kReadPort)) {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      const Reference& argument = arguments[argument_of(call, function_)];
      printer.name(instruction, argument);
      floats.split(instruction, argument, !index.empty(), temporaries, out);
      continue;
    }
    if (is_operation(instruction, Operation::kWritePort)) continue;
    bool leaves_stage = false;
    for (const llvm::User* user : instruction.users()) {
      const auto found = schedule_.stage_of.find(llvm::cast<llvm::Instruction>(user));
      leaves_stage = leaves_stage || (found != schedule_.stage_of.end() && found->second != stage);
    }
    const bool only_registered =
        leaves_stage && registered(&instruction) && instruction.hasOneUse();
    const bool is_range =
        is_named_range(instruction, [&] { return printer.expression(instruction); });
    if (only_registered || !(deserves_signal(instruction) || is_range)) continue;
    if (!registered(&instruction) && !is_range &&
        is_brief(instruction, [&] { return printer.expression(instruction); })) {
      continue;
    }
    const unsigned width = width_of(instruction);
    const BitSpan bits = read_bits(instruction, [&](const llvm::Instruction& user) {
      return schedule_.stage_of.count(&user) != 0;
    });
    const NameChoices& choices = value_names_.at(&instruction);
    const std::string name = index.empty() ? temporaries.declare(choices, bits.width(), out)
                                           : temporaries.add(choices, bits.width());
    const std::string here = short_position(instruction.getDebugLoc());
    out.assign(name, "=",
               bits.width() == width ? printer.expression(instruction)
                                     : printer.slice(instruction, bits.high, bits.low),
               here == position ? "" : here);
    position = here.empty() ? position : here;
    const Reference signal{name, 0, width, bits.width(), bits.low};
    printer.name(instruction, signal);
    floats.split(instruction, signal, !index.empty(), temporaries, out);
  }
  if (stage < static_cast<int>(registers_.size())) {
    for (const llvm::Value* value : schedule_.registers[stage]) {
      const Register& next = registers_[stage].at(value);
      const bool whole = next.bits.width() == width_of(*value);
      out.assign(
          element(next.name, index), assign,
          whole ? printer.operand(*value) : printer.slice(*value, next.bits.high, next.bits.low));
    }
  } else {
    std::map<int, std::vector<ElementWrite>> results;
    for (const llvm::Instruction& instruction : function_.body->getEntryBlock()) {
      if (!is_operation(instruction, Operation::kWritePort)) continue;
      results[leaf_of(instruction)].push_back(
          {constant_argument(instruction, 1), instruction.getOperand(2)});
    }
    for (const auto& [field, writes] : results) {
      const Leaf& leaf = function_.result[field];
      for (const VectorWrite& write : write_vector(element(result_names_.at(field), index),
                                                   leaf.width, leaf.elements(), writes, printer)) {
        out.assign(write.target, assign, write.value);
      }
    }
  }
  temporaries.close();
  return out;
}

}  // namespace systole::compiler
