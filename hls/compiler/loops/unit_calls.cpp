#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/units.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

bool is_call(const llvm::Function* function) {
  return function && is_method(function->getSubprogram(), "Pipeline", "call_to");
}

/// Replaces one call; its first argument points to the result, the others to the arguments.
class Call {
 public:
  Call(llvm::CallInst& call, LoweredKernel& kernel)
      : call_(call), kernel_(kernel), builder_(&call) {}

  void lower() {
    const llvm::DISubprogram& callee = *call_.getCalledFunction()->getSubprogram();
    const auto types = callee.getType()->getTypeArray();
    std::vector<llvm::Value*> arguments;
    for (unsigned i = 1; i < call_.arg_size(); ++i) {
      for_each_part(
          types[i + 1], call_.getArgOperand(i), [&](const Leaf& leaf, llvm::Value* pointer) {
            llvm::Value* memory =
                builder_.CreateLoad(builder_.getIntNTy(leaf.memory_width()), pointer);
            arguments.push_back(builder_.CreateZExtOrTrunc(memory, builder_.getIntNTy(leaf.width)));
          });
    }
    const int number = unit(*class_of(&callee), types[1], arguments);
    const KernelUnit& unit = kernel_.units[static_cast<std::size_t>(number)];
    std::vector<llvm::Value*> operands = {builder_.getInt32(static_cast<unsigned>(number)),
                                          builder_.getInt32(static_cast<unsigned>(unit.stages)),
                                          builder_.getInt32(1)};
    operands.insert(operands.end(), arguments.begin(), arguments.end());
    llvm::Value* result =
        emit_operation(builder_, Operation::kUnit, builder_.getIntNTy(unit.result_bits), operands);
    result->setName(unit.name);
    unsigned low = 0;
    for_each_part(types[1], call_.getArgOperand(0), [&](const Leaf& leaf, llvm::Value* pointer) {
      llvm::Value* part = builder_.CreateTrunc(low == 0 ? result : builder_.CreateLShr(result, low),
                                               builder_.getIntNTy(leaf.width));
      builder_.CreateStore(builder_.CreateZExt(part, builder_.getIntNTy(leaf.memory_width())),
                           pointer);
      low += leaf.width;
    });
    call_.eraseFromParent();
  }

 private:
  template <typename Visit>
  void for_each_part(const llvm::DIType* type, llvm::Value* base, Visit visit) {
    const std::vector<Leaf> leaves = layout_of(strip_type(type));
    for_each_element(leaves, [&](const Leaf& leaf, std::int64_t, std::int64_t offset) {
      if (leaf.is_enum()) refuse(call_, "a unit neither takes nor gives an enum; use UInt<N>");
      visit(leaf, builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base,
                                                      static_cast<std::uint64_t>(offset)));
    });
  }

  /// Calls of one function in as many stages have one unit.
  int unit(const llvm::DICompositeType& pipeline, const llvm::DIType* result,
           const std::vector<llvm::Value*>& arguments) {
    const std::string function = method_of(&pipeline, "evaluate");
    for (std::size_t i = 0; i < kernel_.units.size(); ++i) {
      if (kernel_.units[i].function == function) return static_cast<int>(i);
    }
    KernelUnit unit{.name = pipelined_function(pipeline).getName().str(),
                    .function = function,
                    .stages = static_cast<int>(template_integers(&pipeline).back()),
                    .argument_bits = {}};
    for (const llvm::Value* one : arguments) {
      unit.argument_bits.push_back(one->getType()->getIntegerBitWidth());
    }
    unit.result = layout_of(strip_type(result));
    for (const Leaf& leaf : unit.result) {
      unit.result_bits += leaf.width * static_cast<unsigned>(leaf.elements());
    }
    kernel_.units.push_back(unit);
    return static_cast<int>(kernel_.units.size()) - 1;
  }

  llvm::CallInst& call_;
  LoweredKernel& kernel_;
  llvm::IRBuilder<> builder_;
};

}  // namespace

std::vector<llvm::Function*> unit_functions(llvm::Module& program) {
  std::vector<llvm::Function*> found;
  for (llvm::Function& function : program) {
    if (is_call(&function)) found.push_back(&function);
  }
  return found;
}

void lower_unit_calls(LoweredKernel& kernel) {
  for (llvm::Instruction& instruction :
       llvm::make_early_inc_range(llvm::instructions(*kernel.body))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call && is_call(call->getCalledFunction())) Call(*call, kernel).lower();
  }
}

int latency_of(const llvm::Instruction& operation) {
  if (is_operation(operation, Operation::kMemoryRead)) return 1;
  if (is_operation(operation, Operation::kUnit)) {
    return static_cast<int>(constant_argument(operation, 1));
  }
  return 0;
}

}  // namespace systole::compiler
