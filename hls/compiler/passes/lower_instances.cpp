#include "hls/compiler/passes/lower_instances.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/analyses/every_path.h"
#include "hls/compiler/frontend/cell_types.h"
#include "hls/compiler/ir/enum_values.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

using Ports = std::vector<InstancePort>;

/// A function's calls of one submodule.
struct Calls {
  std::vector<llvm::CallInst*> clocks;
  std::vector<llvm::CallInst*> outputs;
  std::vector<llvm::CallInst*> resets;
};

class Instances {
 public:
  Instances(llvm::Function& function, LoweredModule& module, RangeChecks& checks)
      : function_(function),
        module_(module),
        checks_(checks),
        dominators_(function),
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
           every_path_passes(*call.getParent(), function_.getEntryBlock());
  }

  /// Whether the outputs are read before the clock, which every path passes once.
  bool is_before(const llvm::CallInst& output, const llvm::CallInst& clock) const {
    if (output.getParent() == clock.getParent()) return output.comesBefore(&clock);
    return every_path_passes(*clock.getParent(), *output.getParent());
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
      if (!is_before(*output, clock)) {
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
    const CellType* cell = cell_type(module_.state[leaf].type);
    const Ports inputs =
        instance_ports(layout_of(signature.inputs), cell ? &cell->inputs : nullptr);
    const Ports outputs =
        instance_ports(layout_of(signature.outputs), cell ? &cell->outputs : nullptr);
    Instance& instance = module_.instances[leaf];
    instance.clock_function = callee.getName().str();
    instance.shows_registers = !clock.hasStructRetAttr();
    for (const InstancePort& one : inputs) instance.inputs.push_back(one.port);
    for (const InstancePort& one : outputs) {
      if (one.parts.size() > 1) {
        instance.words[static_cast<std::int64_t>(instance.outputs.size())] = one.parts;
      }
      instance.outputs.push_back(one.port);
    }
    write_inputs(leaf, inputs, clock);
    if (clock.hasStructRetAttr()) read_outputs(leaf, outputs, clock);
    for (llvm::CallInst* output : calls.outputs) read_outputs(leaf, outputs, *output);
  }

  void write_inputs(int leaf, const Ports& ports, llvm::CallInst& clock) {
    llvm::IRBuilder<> builder(&clock);
    llvm::Value* inputs = clock.getArgOperand(clock.hasStructRetAttr() ? 2 : 1);
    for (int field = 0; field < static_cast<int>(ports.size()); ++field) {
      const InstancePort& one = ports[field];
      llvm::Type* type = builder.getIntNTy(one.port.width);
      const auto write = [&](std::int64_t element, llvm::Value* value) {
        emit_operation(
            builder, Operation::kInstanceInput, nullptr,
            {builder.getInt32(leaf), builder.getInt32(field), builder.getInt64(element), value})
            ->setDebugLoc(clock.getDebugLoc());
      };
      llvm::Value* word = nullptr;
      std::uint64_t low = 0;
      for_each_element(one.parts, [&](const Leaf& part, std::int64_t element, std::int64_t offset) {
        builder.SetCurrentDebugLocation(clock.getDebugLoc());
        llvm::Value* value =
            value_in_hardware(builder,
                              builder.CreateLoad(builder.getIntNTy(part.memory_width()),
                                                 at_byte(builder, inputs, offset)),
                              part, checks_);
        if (one.parts.size() == 1) {
          write(element, value);
          return;
        }
        llvm::Value* placed = builder.CreateShl(builder.CreateZExt(value, type), low);
        word = word ? builder.CreateOr(word, placed) : placed;
        low += part.width;
      });
      if (word) write(0, word);
    }
  }

  static void read_outputs(int leaf, const Ports& ports, llvm::CallInst& call) {
    llvm::IRBuilder<> builder(&call);
    for (int field = 0; field < static_cast<int>(ports.size()); ++field) {
      const InstancePort& one = ports[field];
      const auto read = [&](std::int64_t element) {
        llvm::CallInst* value = emit_operation(
            builder, Operation::kInstanceOutput, builder.getIntNTy(one.port.width),
            {builder.getInt32(leaf), builder.getInt32(field), builder.getInt64(element)});
        value->setDebugLoc(call.getDebugLoc());
        return value;
      };
      llvm::Value* word = one.parts.size() > 1 ? read(0) : nullptr;
      std::uint64_t low = 0;
      for_each_element(one.parts, [&](const Leaf& part, std::int64_t element, std::int64_t offset) {
        llvm::Value* value =
            word ? builder.CreateTrunc(builder.CreateLShr(word, low), builder.getIntNTy(part.width))
                 : read(element);
        low += part.width;
        builder.CreateStore(value_in_memory(builder, value, part),
                            at_byte(builder, call.getArgOperand(0), offset));
      });
    }
  }

  static llvm::Value* at_byte(llvm::IRBuilder<>& builder, llvm::Value* base, std::int64_t offset) {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
  }

  llvm::Function& function_;
  LoweredModule& module_;
  RangeChecks& checks_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
};

}  // namespace

int instance_of(const llvm::CallInst& call, const llvm::Value& self,
                const std::vector<Leaf>& state) {
  const unsigned position = call.hasStructRetAttr() ? 1 : 0;
  const Address address = decode(call.getArgOperand(position), call.getModule()->getDataLayout());
  return address.base == &self ? instance_at(address, state) : -1;
}

void lower_instances(llvm::Function& function, LoweredModule* module, RangeChecks& checks) {
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
    const unsigned position = call->hasStructRetAttr() ? 1 : 0;
    const Address address =
        decode(call->getArgOperand(position), function.getParent()->getDataLayout());
    if (std::ranges::any_of(address.indices, [](const auto& step) { return step.value; })) {
      refuse(*call, fmt::format("a variable picks the submodule whose {}() this is; call it of "
                                "every one in a loop, and make the inputs conditional",
                                name.str()));
    }
    Calls& one = calls[leaf];
    (name == "clock" ? one.clocks : name == "outputs" ? one.outputs : one.resets).push_back(call);
  }
  if (!calls.empty()) Instances(function, *module, checks).run(calls);
}

}  // namespace systole::compiler
