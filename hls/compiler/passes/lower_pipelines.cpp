#include "hls/compiler/passes/lower_pipelines.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "hls/compiler/ir/enum_values.h"
#include "hls/compiler/ir/lowered_module.h"
#include "hls/compiler/passes/element_accesses.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

PipelineUse pipeline_use(const Leaf& leaf) {
  const std::vector<std::int64_t> integers = template_integers(leaf.type);
  return {.function = method_of(leaf.type, "evaluate"),
          .stages = integers.empty() ? 1 : static_cast<int>(integers.back())};
}

/// Calls visit(leaf, field, element, pointer) for every element of the value that `base` points to.
template <typename Visit>
void for_each_part(llvm::IRBuilder<>& builder, const llvm::DIType* type, llvm::Value* base,
                   Visit visit) {
  const std::vector<Leaf> leaves = layout_of(strip_type(type));
  for_each_element(leaves, [&](const Leaf& leaf, std::int64_t element, std::int64_t offset) {
    llvm::Value* pointer = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base,
                                                              static_cast<std::uint64_t>(offset));
    visit(leaf, static_cast<int>(&leaf - leaves.data()), element, pointer);
  });
}

/// Replaces one call of a member; its first argument points to the pipeline.
class Call {
 public:
  Call(llvm::CallInst& call, const PointerRoots& roots, LoweredModule& module)
      : call_(call),
        module_(module),
        place_(place_in(call, roots)),
        types_(call.getCalledFunction()->getSubprogram()->getType()->getTypeArray()),
        builder_(&call) {}

  /// `void output_to(this, Result&)`.
  void lower_output() {
    const auto read = [&](const Leaf& leaf, int field, std::int64_t element, llvm::Value* pointer) {
      llvm::Value* value =
          emit_operation(builder_, Operation::kPipelineOutput, builder_.getIntNTy(leaf.width),
                         {leaf_number(builder_, place_.leaf), element_value(builder_, place_),
                          leaf_number(builder_, field), builder_.getInt64(element)});
      builder_.CreateStore(value_in_memory(builder_, value, leaf), pointer);
    };
    for_each_part(builder_, types_[2], call_.getArgOperand(1), read);
    call_.eraseFromParent();
  }

  /// `void clock(this, const Arguments&...)`, or clock_where(this, const UInt<kStages>& moves,
  /// ...).
  void lower_clock(bool where) {
    const Leaf& pipeline = module_.state[place_.leaf];
    const PipelineUse use = pipeline_use(pipeline);
    std::vector<llvm::Value*> arguments = {leaf_number(builder_, place_.leaf),
                                           element_value(builder_, place_)};
    if (!where) {
      llvm::Type* moves = builder_.getIntNTy(static_cast<unsigned>(use.stages));
      arguments.push_back(llvm::ConstantInt::getAllOnesValue(moves));
    } else if (pipeline.elements() > 1) {
      refuse(call_, fmt::format(
                        "the pipelines of '{}' stall one by one; only a lone pipeline can: clock() "
                        "each of them, or hold each in a module of its own",
                        pipeline.name));
    }
    const auto pass = [&](const Leaf& leaf, int, std::int64_t, llvm::Value* pointer) {
      // At its width in memory; narrow_arguments() cuts it later, once that provably loses nothing.
      arguments.push_back(builder_.CreateLoad(builder_.getIntNTy(leaf.memory_width()), pointer));
    };
    for (unsigned i = 1; i < call_.arg_size(); ++i) {
      for_each_part(builder_, types_[i + 1], call_.getArgOperand(i), pass);
    }
    emit_operation(builder_, Operation::kPipelineClock, nullptr, arguments);
    module_.pipelines[place_.leaf] = use;
    call_.eraseFromParent();
  }

 private:
  static Place place_in(const llvm::CallInst& call, const PointerRoots& roots) {
    const PointerRoots::Root* root = nullptr;
    return roots.place_of_access(call, call.getArgOperand(0), &root);
  }

  llvm::CallInst& call_;
  LoweredModule& module_;
  Place place_;
  llvm::DITypeRefArray types_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

void lower_pipelines(llvm::Function& function, LoweredModule& module) {
  PointerRoots roots(function.getParent()->getDataLayout());
  roots.bind(function.getArg(function.hasStructRetAttr() ? 1 : 0), &module.state, Operation::kLoad,
             Operation::kStore);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isIntrinsic() || is_any_operation(*call)) continue;
    const llvm::DISubprogram* subprogram = callee->getSubprogram();
    if (is_method(subprogram, "Pipeline", "output_to")) {
      Call(*call, roots, module).lower_output();
    } else if (is_method(subprogram, "Pipeline", "clock")) {
      Call(*call, roots, module).lower_clock(false);
    } else if (is_method(subprogram, "Pipeline", "clock_where")) {
      Call(*call, roots, module).lower_clock(true);
    }
  }
  tidy(function);
}

void narrow_arguments(llvm::Function& function, const std::vector<Leaf>& state,
                      RangeChecks& checks) {
  std::vector<llvm::CallInst*> clocks;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_operation(instruction, Operation::kPipelineClock)) {
      clocks.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
  }
  for (llvm::CallInst* clock : clocks) {
    const PipelineUse use = pipeline_use(state[static_cast<std::size_t>(leaf_of(*clock))]);
    const llvm::Function* evaluate = function.getParent()->getFunction(use.function);
    const auto types = evaluate->getSubprogram()->getType()->getTypeArray();
    std::vector<llvm::Value*> arguments(clock->arg_begin(), clock->arg_end());
    llvm::IRBuilder<> builder(clock);
    std::size_t next = 3;
    for (unsigned i = 2; i < types.size(); ++i) {
      for (const Leaf& leaf : layout_of(strip_type(types[i]))) {
        for (std::int64_t element = 0; element < leaf.elements(); ++element, ++next) {
          arguments[next] = value_in_hardware(builder, arguments[next], leaf, checks);
        }
      }
    }
    emit_operation(builder, Operation::kPipelineClock, nullptr, arguments);
    clock->eraseFromParent();
  }
}

}  // namespace systole::compiler
