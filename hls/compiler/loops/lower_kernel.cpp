#include "hls/compiler/loops/lower_kernel.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/dataflow/network.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/drop_dead_clears.h"
#include "hls/compiler/loops/loop_options.h"
#include "hls/compiler/loops/lower_axi.h"
#include "hls/compiler/loops/lower_memories.h"
#include "hls/compiler/loops/lower_streams.h"
#include "hls/compiler/loops/merge_reads.h"
#include "hls/compiler/loops/predicate_branches.h"
#include "hls/compiler/loops/units.h"
#include "hls/compiler/lower/pass.h"
#include "hls/compiler/passes/index_choices.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/passes/unroll.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// Joins of one way are names only.
void drop_single_joins(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
      llvm::Value* same = phi.hasConstantValue();
      if (!same || same == &phi) continue;
      phi.replaceAllUsesWith(same);
      phi.eraseFromParent();
    }
  }
}

/// What has no value on one way to a join, as that of an empty std::optional before a loop or
/// behind it, is zero there: a variable of a raw C++ type that nobody has set is refused
/// (checks/unset_variables).
void set_joined_values(llvm::Function& function) {
  for (llvm::BasicBlock& block : function) {
    for (llvm::PHINode& phi : block.phis()) {
      for (llvm::Use& value : phi.incoming_values()) {
        if (!llvm::isa<llvm::UndefValue>(value) || !phi.getType()->isIntegerTy()) continue;
        value.set(llvm::ConstantInt::get(phi.getType(), 0));
      }
    }
  }
}

bool is_reference(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(type);
  return derived && derived->getTag() == llvm::dwarf::DW_TAG_reference_type;
}

/// Fills memories with zeros before anything else.
void clear_memories(LoweredKernel& kernel, const std::set<std::string>& names) {
  llvm::Function& function = *kernel.body;
  for (unsigned number = 0; number < kernel.memories.size(); ++number) {
    const KernelMemory& memory = kernel.memories[number];
    if (memory.is_local || names.count(memory.word.name) == 0) continue;
    llvm::Type* type = llvm::Type::getInt64Ty(function.getContext());
    llvm::Instruction* first = &*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
    auto [body, step] = llvm::SplitBlockAndInsertSimpleForLoop(
        llvm::ConstantInt::get(type, static_cast<std::uint64_t>(memory.word.elements())), first);
    llvm::IRBuilder<> builder(body);
    builder.SetCurrentDebugLocation(llvm::DILocation::get(
        function.getContext(), function.getSubprogram()->getLine(), 0, function.getSubprogram()));
    for (llvm::Instruction& one : *body->getParent()) {
      one.setDebugLoc(builder.getCurrentDebugLocation());
    }
    emit_operation(builder, Operation::kMemoryWrite, nullptr,
                   {builder.getInt32(number),
                    builder.CreateTrunc(step, builder.getIntNTy(memory.address_width())),
                    builder.getIntN(memory.word.width, 0), builder.getTrue()});
  }
}

bool uses_axi(const LoweredKernel& kernel) {
  return std::ranges::any_of(kernel.memories, [](const auto& one) { return one.axi.has_value(); });
}

bool is_constant(const llvm::DIType* type) {
  const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type);
  return derived && (derived->getTag() == llvm::dwarf::DW_TAG_const_type ||
                     is_constant(derived->getBaseType()));
}

/// Reads inputs once, before everything: they hold still, so that a loop whose bound is one knows
/// how often it runs. What the function takes by value, it may change; `has_values` is unset where
/// C++ has made those copies.
void copy_inputs(llvm::Function& function, const llvm::DISubprogram& source, bool has_values) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  for (llvm::Argument& argument : function.args()) {
    const llvm::DIType* type = source.getType()->getTypeArray()[argument.getArgNo() + 1];
    const bool is_value = !is_reference(type);
    if (is_value ? !has_values : !is_constant(type)) continue;
    const std::vector<Leaf> leaves =
        leaves_of_value(type, parameter_name(source, argument.getArgNo()), source_position(source));
    if (leaves.size() == 1 && leaves[0].dimensions.empty() && leaves[0].width != 0) {
      llvm::Type* bits = builder.getIntNTy(leaves[0].memory_width());
      auto* copy = builder.CreateAlloca(bits);
      argument.replaceAllUsesWith(copy);
      builder.CreateStore(builder.CreateLoad(bits, &argument), copy);
      continue;
    }
    if (!is_value) continue;
    const std::uint64_t bytes = type->getSizeInBits() / 8;
    auto* copy = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), bytes));
    const llvm::Align align(argument.getPointerAlignment(function.getParent()->getDataLayout()));
    copy->setAlignment(align);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, align, &argument, align, bytes);
  }
}

}  // namespace

const llvm::DISubprogram& source_of_kernel(const llvm::Function& body) {
  const llvm::DICompositeType* type = class_of(body.getSubprogram());
  return type ? pipelined_function(*type) : *body.getSubprogram();
}

LoweredKernel lower_kernel(llvm::Module& program, const std::string& run,
                           const KernelStart& start) {
  LoweredKernel kernel;
  kernel.body = program.getFunction(run);
  const llvm::DISubprogram& source = source_of_kernel(*kernel.body);
  copy_inputs(*kernel.body, source, /*has_values=*/&source == kernel.body->getSubprogram());
  kernel.name = source.getName().str();
  Unit whole{.program = program, .functions = unit_functions(program)};
  whole.functions.push_back(kernel.body);
  run_passes("compile exact_widths inline_marked", whole);
  Unit unit{.program = program, .functions = {kernel.body}, .facts = whole.facts};
  if (const llvm::Instruction* call = dataflow_call(*kernel.body)) {
    refuse(*call,
           "dataflow() is for the function that hlsc compiles, and not for one that it calls");
  }
  lower_unit_calls(kernel);
  take_loop_options(*kernel.body);
  run_passes("tidy inline_late_calls", unit);
  lower_streams(kernel, source);
  for (KernelStream& stream : kernel.streams) {
    stream.is_emptied = stream.is_input && start.emptied.count(stream.element.name) != 0;
  }
  count_copied_loops(*kernel.body);
  set_joined_values(*kernel.body);  // copies of a loop join them at places of their own
  unroll_marked(*kernel.body);
  tidy(*kernel.body);
  mark_initial_values(*kernel.body);
  unroll_marked(*kernel.body);
  tidy(*kernel.body);
  index_choices(*kernel.body, /*read_too=*/true);
  lower_memories(kernel, source);
  clear_memories(kernel, start.zeros);
  drop_dead_clears(kernel);
  unroll_marked(*kernel.body);  // and deletes loops without effect
  check_unrolled(*kernel.body);
  tidy(*kernel.body);
  if (uses_axi(kernel)) lower_axi(kernel);
  lower_switches(*kernel.body);
  merge_reads(*kernel.body);
  lower_divisions(kernel);
  set_joined_values(*kernel.body);
  simplify(*kernel.body);
  predicate_branches(*kernel.body);
  predicate_loops(*kernel.body);
  combine_values(*kernel.body);
  note_trip_counts(*kernel.body);
  narrow_counters(*kernel.body);
  run_passes("combine_values fold_picks expand_intrinsics narrow", unit);
  narrow_by_ranges(*kernel.body);
  combine_values(*kernel.body);
  run_passes("expand_intrinsics narrow", unit);
  predicate_branches(*kernel.body);
  predicate_loops(*kernel.body);
  merge_reads(*kernel.body);
  llvm::EliminateUnreachableBlocks(*kernel.body);
  drop_single_joins(*kernel.body);
  return kernel;
}

}  // namespace systole::compiler
