#include "hls/compiler/lower/lower_module.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <set>

#include "hls/compiler/checks/check.h"
#include "hls/compiler/checks/shift_amounts.h"
#include "hls/compiler/checks/unknown_registers.h"
#include "hls/compiler/checks/unroll_limit.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/lower/lower_steps.h"
#include "hls/compiler/passes/build_outputs_locally.h"
#include "hls/compiler/passes/cut_indices.h"
#include "hls/compiler/passes/drop_unread_registers.h"
#include "hls/compiler/passes/exact_widths.h"
#include "hls/compiler/passes/expand_picks.h"
#include "hls/compiler/passes/flatten.h"
#include "hls/compiler/passes/inline_late_calls.h"
#include "hls/compiler/passes/lift_outputs.h"
#include "hls/compiler/passes/lower_accesses.h"
#include "hls/compiler/passes/lower_instances.h"
#include "hls/compiler/passes/narrow.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/pass_trace.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// What another struct does at its boundary, clock(), outputs() or reset(): stays a call until it
/// is known whether the struct is a submodule.
bool is_edge(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const llvm::DICompositeType* type = class_of(subprogram);
  if (!type) return false;
  const llvm::StringRef name = subprogram->getName();
  return name == "clock" || (name == "outputs" && has_outputs_method(type)) ||
         (name == "reset" && !method_of(type, "clock").empty());
}

bool is_pipeline_clock(const llvm::Function& function) {
  return is_method(function.getSubprogram(), "Pipeline", "clock");
}

/// What a pipeline does beside clock().
bool is_pipeline_call(const llvm::Function& function) {
  return is_method(function.getSubprogram(), "Pipeline", "output") ||
         is_method(function.getSubprogram(), "Pipeline", "clock_where");
}

/// Marks everything for inlining but the roots, edges and pipelines.
void mark_for_inlining(llvm::Module& module, const std::vector<const llvm::Function*>& roots) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    // A function that is only inlined must stay: it may be a pipeline's.
    function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    function.removeFnAttr(llvm::Attribute::NoInline);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    const bool keep = std::find(roots.begin(), roots.end(), &function) != roots.end() ||
                      is_edge(function) || is_pipeline_call(function);
    if (keep) {
      function.removeFnAttr(llvm::Attribute::AlwaysInline);
      function.addFnAttr(llvm::Attribute::NoInline);
    } else {
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  }
}

/// What a function's loops may touch and stay loops.
struct LoopState {
  const llvm::Value* self = nullptr;  ///< null where every loop must go
  const std::vector<Leaf>* leaves = nullptr;
  std::set<int> single;  ///< registers that stand alone, since clock() names each by a constant
};

/// Whether a loop may keep this access: to an array of registers, or to the same port every turn. A
/// register that every turn writes is handed from one turn to the next.
bool may_stay_in_loop(const llvm::Value* pointer, const llvm::Instruction& access,
                      const LoopState& state) {
  const llvm::Value* base = llvm::getUnderlyingObject(pointer, 0);
  const llvm::DataLayout& layout = access.getModule()->getDataLayout();
  if (base == state.self) {
    llvm::APInt place(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
    if (llvm::isa<llvm::StoreInst>(access) &&
        pointer->stripAndAccumulateConstantOffsets(layout, place, true) == base) {
      return false;
    }
    return state.single.count(leaf_of_pointer(const_cast<llvm::Value&>(*pointer), *state.self,
                                              *state.leaves, layout)) == 0;
  }
  llvm::APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  return llvm::isa<llvm::LoadInst>(access) && llvm::isa<llvm::Argument>(base) &&
         pointer->stripAndAccumulateConstantOffsets(layout, offset, true) == base;
}

/// A loop stays a loop when all that it touches is the module's own registers; one that builds or
/// reads ports and local values is unrolled, and so is one that hands a value from one turn to the
/// next, or is under `#pragma unroll`.
bool must_unroll(const llvm::Loop& loop, const LoopState& state) {
  const auto phis = loop.getHeader()->phis();
  if (std::distance(phis.begin(), phis.end()) > 1) return true;
  if (llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.enable") ||
      llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.full")) {
    return true;
  }
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
        if (!may_stay_in_loop(pointer, instruction, state)) return true;
      }
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
        const llvm::Function* callee = call->getCalledFunction();
        if (!callee || callee->isIntrinsic() || is_any_operation(*call)) continue;
        return true;
      }
    }
  }
  return false;
}

/// Whether this loop is the next to be unrolled: it must be, and none inside of it.
bool unrolls_next(const llvm::Loop& loop, const LoopState& state) {
  const auto must = [&](const llvm::Loop& one) { return !state.self || must_unroll(one, state); };
  if (!must(loop)) return false;
  for (const llvm::Loop* inner : loop.getLoopsInPreorder()) {
    if (inner != &loop && must(*inner)) return false;
  }
  return true;
}

/// How much there is of a function: unrolling that succeeds changes it.
struct Extent {
  std::size_t loops = 0;
  std::size_t instructions = 0;
  bool operator==(const Extent&) const = default;
};

Extent extent_of(llvm::Function& function) {
  const llvm::DominatorTree dominators(function);
  return {llvm::LoopInfo(dominators).getLoopsInPreorder().size(), function.getInstructionCount()};
}

/// Unrolls what must be, inner loops first, or the loops around those.
Extent unroll_once(llvm::Function& function, const LoopState& state, bool parents) {
  {
    llvm::FunctionAnalysisManager analyses;
    llvm::PassBuilder().registerFunctionAnalyses(analyses);
    auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    auto& evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
    for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
      if (!unrolls_next(*loop, state)) continue;
      llvm::Loop* which = parents ? loop->getParentLoop() : loop;
      if (which) check_unroll_limit(*which, evolution);
      if (which) llvm::addStringMetadataToLoop(which, "llvm.loop.unroll.full", 1);
    }
  }
  unroll_marked(function);
  tidy(function);
  return extent_of(function);
}

/// Unrolls what must be, from the inside out, until nothing changes. A loop that stays has bounds
/// that depend on the loop around it, so that one goes first.
void unroll_where_needed(llvm::Function& function, const LoopState& state) {
  Extent before;
  for (bool parents = false;;) {
    const Extent left = unroll_once(function, state, parents);
    if (left.loops == 0 || (left == before && parents)) return;
    parents = left == before;
    before = left;
  }
}

/// Brings the calls of other structs' edges in, except a lone submodule's.
bool inline_lanes(llvm::Function& clock, const std::vector<Leaf>& state) {
  const llvm::Value* self = clock.getArg(clock.hasStructRetAttr() ? 1 : 0);
  std::vector<llvm::CallInst*> lanes;
  for (llvm::Instruction& instruction : llvm::instructions(clock)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || !is_edge(*callee) || is_pipeline_clock(*callee)) continue;
    refuse_clock_in_itself(*call);
    if (instance_of(*call, *self, state) < 0) lanes.push_back(call);
  }
  for (llvm::CallInst* call : lanes) {
    check_shift_amounts(*call->getCalledFunction());
    llvm::InlineFunctionInfo info;
    if (!llvm::InlineFunction(*call, info).isSuccess())
      refuse(*call, "this call cannot be inlined");
  }
  return !lanes.empty();
}

/// Calls that are lowered as such.
bool stays_call(const llvm::Function& callee) {
  return is_edge(callee) || is_pipeline_call(callee);
}

/// The registers that a lowered clock() holds as values rather than as an array.
std::set<int> single_registers(const llvm::Function& clock) {
  std::set<int> leaves;
  for (const llvm::Instruction& instruction : llvm::instructions(clock)) {
    if (is_operation(instruction, Operation::kReadRegister) ||
        is_operation(instruction, Operation::kWriteRegister)) {
      leaves.insert(
          static_cast<int>(constant_argument(llvm::cast<llvm::CallInst>(instruction), 0)));
    }
  }
  return leaves;
}

/// clock() or reset(): inlined, unrolled where needed, and free of pointers.
void lower_edge(llvm::Function& function, LoweredModule& module) {
  const llvm::Value* self = function.getArg(function.hasStructRetAttr() ? 1 : 0);
  check_language(function);
  check_shift_amounts(function);
  check_ends(function);
  tidy(function);
  after_pass("tidy", function);
  while (inline_lanes(function, module.state) || inline_late_calls(function, stays_call)) {
    check_language(function);
    tidy(function);
    after_pass("inline_lanes", function);
  }
  refuse_recursion(function);
  check_loops(function);
  lower_pipelines(function, module);
  after_pass("lower_pipelines", function);
  LoopState state{.self = self, .leaves = &module.state, .single = {}};
  if (module.reset == &function) state.single = single_registers(*module.clock);
  unroll_where_needed(function, state);
  after_pass("unroll", function);
  lower_accesses(function, module);
  after_pass("lower_accesses", function);
  simplify(function);
  after_pass("simplify", function);
  check_index_ranges(function, module);
  cut_indices(function, module);
  fold_picks(function);
  after_pass("cut_indices", function);
  narrow(function);
  separate_indices(function, module);
  after_pass("narrow", function);
}

/// outputs() runs any number of times in a clock, so it only reads.
void check_only_reads(const llvm::Function& outputs) {
  for (const llvm::Instruction& instruction : llvm::instructions(outputs)) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store && llvm::getUnderlyingObject(store->getPointerOperand(), 0) == outputs.getArg(1)) {
      refuse(*store, "outputs() writes a register; write registers in clock()");
    }
  }
}

/// before  void clock(this, inputs)   void outputs(sret, this)
/// after   void clock(sret, this, inputs) { outputs(sret, this); ... }
llvm::Function* join_edges(llvm::Function& clock, llvm::Function& outputs) {
  tidy(outputs);
  check_only_reads(outputs);
  llvm::Type* pointer = outputs.getArg(0)->getType();
  auto* type = llvm::FunctionType::get(clock.getReturnType(), {pointer, pointer, pointer}, false);
  auto* joined = llvm::Function::Create(type, clock.getLinkage(), "", clock.getParent());
  joined->takeName(&clock);
  joined->splice(joined->begin(), &clock);
  joined->addParamAttr(0, outputs.getParamAttribute(0, llvm::Attribute::StructRet));
  for (unsigned i = 0; i < 2; ++i) {
    clock.getArg(i)->replaceAllUsesWith(joined->getArg(i + 1));
    joined->getArg(i + 1)->takeName(clock.getArg(i));
  }
  llvm::DISubprogram* subprogram = clock.getSubprogram();
  clock.setSubprogram(nullptr);
  joined->setSubprogram(subprogram);
  // Behind the locals: in a block of its own, where outputs() has branches, they could not be
  // values.
  llvm::IRBuilder<> builder(&*joined->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  llvm::CallInst* call = builder.CreateCall(&outputs, {joined->getArg(0), joined->getArg(1)});
  call->setDebugLoc(llvm::DILocation::get(joined->getContext(), 0, 0, subprogram));
  llvm::InlineFunctionInfo info;
  if (!llvm::InlineFunction(*call, info).isSuccess()) {
    refuse(*call, "outputs() cannot be inlined");
  }
  return joined;
}

}  // namespace

void prepare_program(llvm::Module& program, const std::vector<const llvm::Function*>& roots) {
  const auto after = [&](const char* pass) {
    for (const llvm::Function* root : roots) {
      if (root) after_pass(pass, *root);
    }
  };
  after("compile");
  // No native widths: nothing is gained by computing an i5 in an i8.
  program.setDataLayout("e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-S128");
  for (llvm::Function& function : program) exact_widths(function);
  after("exact_widths");
  mark_for_inlining(program, roots);
  inline_marked(program);
  after("inline_marked");
}

void refuse_recursion(const llvm::Function& root) {
  for (const llvm::Instruction& instruction : llvm::instructions(root)) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || llvm::isa<llvm::IntrinsicInst>(call) || is_any_operation(*call)) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (!callee) {
      refuse(*call,
             "a call through a pointer or a virtual function has no hardware; call the "
             "function by its name");
    }
    if (is_edge(*callee) || is_pipeline_call(*callee)) continue;
    if (callee->isDeclaration()) {
      const llvm::StringRef name = callee->getName();
      if (name == "memcpy" || name == "memmove" || name == "memset") {
        refuse(*call, "this copies raw memory; assign the members");
      }
      if (name.contains("operator new") || name == "_Znwm" || name == "malloc") {
        refuse(*call, "hardware cannot allocate memory; make it an array of registers or a Ram");
      }
      refuse(*call, fmt::format("'{}' has no body here, so it cannot become hardware; define it in "
                                "a header, or remove the call",
                                llvm::demangle(callee->getName())));
    }
    refuse(*call, "recursion has no hardware; write a loop with a constant bound");
  }
}

LoweredModule lower_module(llvm::Module& program, const std::string& clock_function,
                           const std::string& reset_function) {
  llvm::Function* clock = program.getFunction(clock_function);
  const ClockSignature signature = clock_signature(*clock);
  LoweredModule module;
  module.clock = clock;
  module.state = layout_of(signature.state);
  module.inputs = layout_of(signature.inputs);
  module.outputs = layout_of(signature.outputs);
  if (!reset_function.empty()) module.reset = program.getFunction(reset_function);
  const llvm::DICompositeType* type = class_of(clock->getSubprogram());
  llvm::Function* outputs = nullptr;
  if (has_outputs_method(type)) {
    outputs = program.getFunction(method_of(type, "outputs"));
    if (!outputs) {
      throw Refusal(
          fmt::format("{}: nobody reads the outputs() of {}, so it has no effect; read "
                      "them, or remove it",
                      source_position(*type), type->getName().str()));
    }
  }
  prepare_program(program, {clock, module.reset, outputs});
  if (outputs) module.clock = clock = join_edges(*clock, *outputs);
  build_outputs_locally(*clock, module.outputs);
  lower_edge(*clock, module);
  if (module.reset) lower_edge(*module.reset, module);
  check_module(module);
  drop_unread_registers(module);
  after_pass("drop_unread_registers", *module.clock);
  lift_outputs(*module.clock);
  after_pass("lift_outputs", *module.clock);
  check_unknown_registers(module);
  return module;
}

LoweredFunction lower_function(llvm::Module& program, const std::string& function) {
  llvm::Function* body = program.getFunction(function);
  LoweredFunction lowered;
  lowered.body = body;
  lowered.name = body->getSubprogram()->getName().str();
  const auto types = body->getSubprogram()->getType()->getTypeArray();
  lowered.result = layout_of(strip_type(types[0]));
  for (unsigned i = 1; i < types.size(); ++i) {
    std::vector<Leaf> leaves = layout_of(strip_type(types[i]));
    if (leaves.size() != 1 || leaves[0].kind != LeafKind::kInteger) {
      throw Refusal(fmt::format("{}: an argument of a pipelined function is one UInt or Int",
                                source_position(*body->getSubprogram())));
    }
    lowered.arguments.push_back(leaves[0]);
  }
  prepare_program(program, {body});
  if (body->hasStructRetAttr()) build_outputs_locally(*body, lowered.result);
  check_language(*body);
  check_shift_amounts(*body);
  check_ends(*body);
  tidy(*body);
  after_pass("tidy", *body);
  while (inline_late_calls(*body, stays_call)) tidy(*body);
  refuse_recursion(*body);
  check_loops(*body);
  unroll_where_needed(*body, {});
  after_pass("unroll", *body);
  lower_function_accesses(*body, lowered);
  after_pass("lower_accesses", *body);
  lower_switches(*body);
  after_pass("lower_switches", *body);
  flatten(*body);
  after_pass("flatten", *body);
  simplify(*body);
  after_pass("simplify", *body);
  fold_picks(*body);
  narrow(*body);
  after_pass("narrow", *body);
  check_values(*body);
  check_addresses(*body);
  return lowered;
}

}  // namespace systole::compiler
