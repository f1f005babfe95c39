#include "hls/compiler/lower/lower.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/frontend/thread_ports.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

const std::string kInlined = "compile exact_widths inline_marked";
const std::string kSimplified = " combine_values select_joins settle_choices";
const std::string kExactBits =
    " fold_picks expand_intrinsics share_shifters narrow factor_products";

/// clock() and reset() separately, then together.
const std::string kEdge =
    "tidy inline_late_calls lower_pipelines unroll lower_accesses cut_counters" + kSimplified +
    " cut_indices" + kExactBits;
const std::string kModule = "separate_indices drop_unread_registers lift_outputs guard_registers";

const std::string kFunction = kInlined + " tidy inline_late_calls unroll lower_accesses" +
                              " lower_switches flatten" + kSimplified + kExactBits;

const std::string kThread =
    "compile make_sequential exact_widths inline_marked tidy"
    " inline_late_calls unroll cut_enum_loads tidy expand_picks lower_switches"
    " split_at_suspensions extract_states" +
    kSimplified + " drop_writes_of_same drop_dead_registers share_registers narrow_registers" +
    kSimplified + " drop_unreachable_states drop_dead_registers" + kSimplified +
    " drop_writes_of_same" + kExactBits + " drop_unreachable_states";

/// The method outputs(), or null.
///
/// Errors   Refusal if nothing reads it, or if what it returns has no bits
llvm::Function* outputs_method(llvm::Module& program, const llvm::Function& clock) {
  const llvm::DICompositeType* type = class_of(clock.getSubprogram());
  if (!has_outputs_method(type)) return nullptr;
  if (llvm::Function* outputs = program.getFunction(method_of(type, "outputs"))) {
    if (outputs->hasStructRetAttr()) return outputs;
    throw Refusal(
        fmt::format("{}: the outputs() of {} have no bits, so the module shows nothing; "
                    "give them a member that has, or remove them",
                    source_position(*type), type->getName().str()));
  }
  throw Refusal(fmt::format(
      "{}: nobody reads the outputs() of {}, so it has no effect; read them, or remove it",
      source_position(*type), type->getName().str()));
}

}  // namespace

LoweredModule lower_module(llvm::Module& program, const std::string& clock_function,
                           const std::string& reset_function) {
  LoweredModule module;
  module.clock = program.getFunction(clock_function);
  const ClockSignature signature = clock_signature(*module.clock);
  module.state = layout_of(signature.state);
  module.inputs = layout_of(signature.inputs);
  module.outputs = layout_of(signature.outputs);
  if (!reset_function.empty()) module.reset = program.getFunction(reset_function);
  module.outputs_method = outputs_method(program, *module.clock);

  Unit whole{.program = program, .functions = module.edges(), .module = &module};
  if (module.outputs_method) whole.functions.push_back(module.outputs_method);
  run_passes(kInlined + " join_outputs build_outputs_locally", whole);
  for (llvm::Function* function : module.edges()) {  // reset() needs the lowered clock()
    Unit edge{.program = program, .functions = {function}, .module = &module};
    run_passes(kEdge, edge);
    whole.facts = edge.facts;
  }
  run_passes(kModule, whole);
  return module;
}

void lower_machine(llvm::Module& program, LoweredModule& module) {
  Unit whole{.program = program, .functions = module.edges(), .module = &module};
  run_passes(kSimplified.substr(1) + " cut_indices" + kExactBits + " combine_values" + kExactBits +
                 " " + kModule,
             whole);
}

LoweredFunction lower_function(llvm::Module& program, const std::string& evaluate) {
  LoweredFunction lowered;
  lowered.body = program.getFunction(evaluate);
  const llvm::DISubprogram& function = pipelined_function(*class_of(lowered.body->getSubprogram()));
  lowered.name = function.getName().str();
  const std::string position = source_position(function);
  const auto types = lowered.body->getSubprogram()->getType()->getTypeArray();
  lowered.result = leaves_of_value(types[1], "result", position);
  if (lowered.result.empty()) {
    throw Refusal(fmt::format("{}: {} gives nothing; a pure function returns a value", position,
                              lowered.name));
  }
  for (unsigned i = 2; i < types.size(); ++i) {
    const auto leaves = leaves_of_value(types[i], parameter_name(function, i - 2), position);
    lowered.arguments.insert(lowered.arguments.end(), leaves.begin(), leaves.end());
  }
  Unit unit{.program = program, .functions = {lowered.body}, .pipeline = &lowered};
  run_passes(kFunction, unit);
  return lowered;
}

LoweredThread lower_thread(llvm::Module& program, const std::string& function) {
  llvm::Function& body = *program.getFunction(function);
  LoweredThread thread;
  thread.name = body.getSubprogram()->getName().str();
  thread.ports = thread_ports(*body.getSubprogram());
  thread.registers = thread.ports.registers;
  Unit unit{.program = program, .functions = {&body}, .thread = &thread};
  run_passes(kThread, unit);
  return thread;
}

}  // namespace systole::compiler
