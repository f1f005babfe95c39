#include "hls/compiler/passes/instances.h"

#include <fmt/format.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <map>

#include "hls/compiler/passes/address.h"
#include "hls/compiler/passes/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

/// What a function calls of one submodule.
struct Calls {
  std::vector<llvm::CallInst*> clocks;
  std::vector<llvm::CallInst*> outputs;
  std::vector<llvm::CallInst*> resets;
};

class Instances {
 public:
  Instances(llvm::Function& function, LoweredModule& module)
      : function_(function),
        module_(module),
        dominators_(function),
        post_dominators_(function),
        loops_(dominators_) {}

  void run(const std::map<int, Calls>& calls) {
    for (const auto& [leaf, one] : calls) {
      if (module_.clock == &function_) {
        check_clock(leaf, one);
      } else {
        check_reset(one);
      }
    }
    for (const auto& [leaf, one] : calls) {
      if (module_.clock == &function_) {
        lower_clock(leaf, one);
      } else if (const auto instance = module_.instances.find(leaf);
                 instance != module_.instances.end()) {
        instance->second.is_reset = true;
      }
      for (const auto* list : {&one.clocks, &one.outputs, &one.resets}) {
        for (llvm::CallInst* call : *list) call->eraseFromParent();
      }
    }
  }

 private:
  bool always_once(const llvm::CallInst& call) const {
    return !loops_.getLoopFor(call.getParent()) &&
           post_dominators_.dominates(call.getParent(), &function_.getEntryBlock());
  }

  void check_clock(int leaf, const Calls& calls) const {
    const std::string& name = module_.state[leaf].name;
    if (!calls.resets.empty()) {
      refuse(*calls.resets[0], fmt::format("clock() resets '{}'; reset() does that, or an input "
                                           "of its own that clears it",
                                           name));
    }
    if (calls.clocks.empty()) {
      refuse(*calls.outputs[0], fmt::format("'{}' is read but never clocked; call its clock() "
                                            "once, outside of loops and conditions",
                                            name));
    }
    const llvm::CallInst& clock = *calls.clocks[0];
    if (calls.clocks.size() > 1 || !always_once(clock)) {
      refuse(calls.clocks.size() > 1 ? *calls.clocks[1] : clock,
             fmt::format("'{}' must be clocked once per clock, outside of loops and "
                         "conditions; make the inputs conditional instead",
                         name));
    }
    for (const llvm::CallInst* output : calls.outputs) {
      if (llvm::isPotentiallyReachable(&clock, output, nullptr, &dominators_, &loops_)) {
        refuse(*output, fmt::format("the outputs() of '{}' are read after its clock(), which "
                                    "changed them; read them before",
                                    name));
      }
    }
  }

  void check_reset(const Calls& calls) const {
    if (!calls.clocks.empty()) {
      refuse(*calls.clocks[0], "reset() clocks a submodule; call its reset()");
    }
    if (!calls.outputs.empty()) {
      refuse(*calls.outputs[0],
             "reset() reads a submodule, which the same edge changes; reset to "
             "constants");
    }
    if (!always_once(*calls.resets[0])) {
      refuse(*calls.resets[0], "a submodule is reset outside of loops and conditions");
    }
  }

  /// `void clock(sret Outputs, this, const Inputs&)`, or without sret beside
  /// `void outputs(sret Outputs, this)`.
  void lower_clock(int leaf, const Calls& calls) {
    llvm::CallInst& clock = *calls.clocks[0];
    const llvm::Function& callee = *clock.getCalledFunction();
    const ClockSignature signature = clock_signature(callee);
    Instance& instance = module_.instances[leaf];
    instance.clock_function = callee.getName().str();
    instance.inputs = layout_of(signature.inputs);
    instance.outputs = layout_of(signature.outputs);
    write_inputs(leaf, instance, clock);
    if (clock.hasStructRetAttr()) read_outputs(leaf, instance, clock);
    for (llvm::CallInst* output : calls.outputs) read_outputs(leaf, instance, *output);
  }

  void write_inputs(int leaf, const Instance& instance, llvm::CallInst& clock) {
    llvm::IRBuilder<> builder(&clock);
    llvm::Value* inputs = clock.getArgOperand(clock.hasStructRetAttr() ? 2 : 1);
    for_each_element(instance.inputs, [&](int field, std::int64_t element, std::int64_t offset) {
      llvm::Type* type = builder.getIntNTy(instance.inputs[field].width);
      llvm::Value* value = builder.CreateLoad(
          type, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), inputs, offset));
      emit_operation(
          builder, Operation::kInstanceInput, nullptr,
          {builder.getInt32(leaf), builder.getInt32(field), builder.getInt64(element), value})
          ->setDebugLoc(clock.getDebugLoc());
    });
  }

  static void read_outputs(int leaf, const Instance& instance, llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    for_each_element(instance.outputs, [&](int field, std::int64_t element, std::int64_t offset) {
      llvm::CallInst* value = emit_operation(
          builder, Operation::kInstanceOutput, builder.getIntNTy(instance.outputs[field].width),
          {builder.getInt32(leaf), builder.getInt32(field), builder.getInt64(element)});
      value->setDebugLoc(call.getDebugLoc());
      builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(),
                                                                    call.getArgOperand(0), offset));
    });
  }

  template <typename Visit>
  static void for_each_element(const std::vector<Leaf>& leaves, Visit visit) {
    for (int field = 0; field < static_cast<int>(leaves.size()); ++field) {
      const Leaf& leaf = leaves[field];
      for (std::int64_t element = 0; element < leaf.elements(); ++element) {
        std::int64_t offset = leaf.offset_bytes;
        std::int64_t rest = element;
        for (std::size_t d = 0; d < leaf.dimensions.size(); ++d) {
          const std::int64_t step = element_step(leaf, d);
          offset += rest / step * leaf.dimensions[d].stride_bytes;
          rest %= step;
        }
        visit(field, element, offset);
      }
    }
  }

  llvm::Function& function_;
  LoweredModule& module_;
  llvm::DominatorTree dominators_;
  llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo loops_;
};

}  // namespace

int instance_of(const llvm::CallInst& call, const llvm::Value& self,
                const std::vector<Leaf>& state) {
  const unsigned position = call.hasStructRetAttr() ? 1 : 0;
  const Address address = decode(call.getArgOperand(position), call.getModule()->getDataLayout());
  return address.base == &self ? instance_at(address, state) : -1;
}

void lower_instances(llvm::Function& function, LoweredModule* module) {
  std::map<int, Calls> calls;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isIntrinsic() || is_any_operation(*call)) continue;
    const llvm::StringRef name = callee->getSubprogram()->getName();
    const llvm::Value* self = function.getArg(function.hasStructRetAttr() ? 1 : 0);
    const int leaf = module ? instance_of(*call, *self, module->state) : -1;
    if (leaf < 0) {
      refuse(*call, fmt::format("a submodule's {}() cannot be called here", name.str()));
    }
    Calls& one = calls[leaf];
    (name == "clock" ? one.clocks : name == "outputs" ? one.outputs : one.resets).push_back(call);
  }
  if (!calls.empty()) Instances(function, *module).run(calls);
}

}  // namespace systole::compiler
