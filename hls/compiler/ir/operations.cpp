#include "hls/compiler/ir/operations.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>

#include <algorithm>

namespace systole::compiler {
namespace {

struct Info {
  const char* name;
  bool reads;  ///< its result depends on earlier writes
  bool writes;
};

Info info_of(Operation operation) {
  switch (operation) {
    case Operation::kReadRegister:
      return {"hls.read_register", false, false};
    case Operation::kWriteRegister:
      return {"hls.write_register", false, true};
    case Operation::kReadPort:
      return {"hls.read_port", false, false};
    case Operation::kWritePort:
      return {"hls.write_port", false, true};
    case Operation::kLoad:
      return {"hls.load", true, false};
    case Operation::kStore:
      return {"hls.store", false, true};
    case Operation::kPipelineOutput:
      return {"hls.pipeline_output", true, false};
    case Operation::kPipelineClock:
      return {"hls.pipeline_clock", false, true};
    case Operation::kInstanceInput:
      return {"hls.instance_input", false, true};
    case Operation::kInstanceOutput:
      return {"hls.instance_output", false, false};
    case Operation::kMemoryRead:
      return {"hls.memory_read", true, false};
    case Operation::kMemoryWrite:
      return {"hls.memory_write", false, true};
    case Operation::kStreamPop:
      return {"hls.stream_pop", true, true};
    case Operation::kStreamPush:
      return {"hls.stream_push", false, true};
    case Operation::kUnit:
      return {"hls.unit", false, false};
    case Operation::kCheck:
      return {"hls.check", false, true};
  }
  return {};
}

const llvm::CallInst* operation_call(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("hls.") ? call : nullptr;
}

}  // namespace

bool is_operation(const llvm::Instruction& instruction, Operation operation) {
  const llvm::CallInst* call = operation_call(instruction);
  if (!call) return false;
  const llvm::StringRef name = call->getCalledFunction()->getName();
  return name.rsplit('.').first == info_of(operation).name;
}

int enable_operand(const llvm::Instruction& operation) {
  if (is_operation(operation, Operation::kMemoryWrite)) return 3;
  if (is_operation(operation, Operation::kStreamPush)) return 2;
  return is_operation(operation, Operation::kStreamPop) ? 1 : -1;
}

bool is_any_operation(const llvm::Instruction& instruction) {
  return operation_call(instruction) != nullptr;
}

bool is_operation(const llvm::Instruction& instruction, std::initializer_list<Operation> any_of) {
  return std::any_of(any_of.begin(), any_of.end(),
                     [&](Operation one) { return is_operation(instruction, one); });
}

std::int64_t constant_argument(const llvm::Instruction& operation, unsigned position) {
  return llvm::cast<llvm::ConstantInt>(operation.getOperand(position))->getSExtValue();
}

int leaf_of(const llvm::Instruction& operation) {
  return static_cast<int>(constant_argument(operation, 0));
}

llvm::CallInst* emit_operation(llvm::IRBuilderBase& builder, Operation operation,
                               llvm::Type* result, const std::vector<llvm::Value*>& arguments) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  const Info info = info_of(operation);
  std::vector<llvm::Type*> types;
  std::string suffix = result ? fmt::format("i{}", result->getIntegerBitWidth()) : "";
  for (const llvm::Value* argument : arguments) {
    types.push_back(argument->getType());
    suffix += fmt::format("_{}", argument->getType()->getIntegerBitWidth());
  }
  auto* type = llvm::FunctionType::get(result ? result : builder.getVoidTy(), types, false);
  const std::string name = fmt::format("{}.{}", info.name, suffix);
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  if (!info.writes) function->addFnAttr(llvm::Attribute::Speculatable);
  // An instance has one set of inputs: no branch above them may be duplicated.
  if (operation == Operation::kInstanceInput) function->addFnAttr(llvm::Attribute::NoDuplicate);
  if (!info.reads && !info.writes) {
    function->setMemoryEffects(llvm::MemoryEffects::none());
    function->addFnAttr(llvm::Attribute::Speculatable);
  } else {
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly(
        info.writes ? llvm::ModRefInfo::ModRef : llvm::ModRefInfo::Ref));
  }
  return builder.CreateCall(type, function, arguments);
}

}  // namespace systole::compiler
