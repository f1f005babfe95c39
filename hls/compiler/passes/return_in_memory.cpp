#include "hls/compiler/passes/return_in_memory.h"

#include <fmt/format.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "hls/compiler/frontend/layout.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {
namespace {

bool returns_outputs(const llvm::Function& function) {
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  const llvm::DICompositeType* type = class_of(subprogram);
  if (function.isDeclaration() || !type || function.getReturnType()->isVoidTy()) return false;
  const llvm::StringRef name = subprogram->getName();
  return name == "clock" || (name == "outputs" && has_outputs_method(type));
}

bool returns_struct(const llvm::Function& function) {
  const llvm::DIType* type = function.getSubprogram()->getType()->getTypeArray()[0];
  return llvm::isa_and_nonnull<llvm::DICompositeType>(strip_type(type));
}

/// The local struct whose bytes a function returns, perhaps through one copy; null if it returns
/// something else.
llvm::AllocaInst* returned_local(llvm::Function& function) {
  llvm::AllocaInst* local = nullptr;
  for (llvm::BasicBlock& block : function) {
    const auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    auto* load = llvm::dyn_cast<llvm::LoadInst>(end->getReturnValue());
    if (!load || local) return nullptr;
    local =
        llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(load->getPointerOperand(), 0));
  }
  if (!local) return nullptr;
  for (llvm::User* user : llvm::make_early_inc_range(local->users())) {
    auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
    if (!copy || copy->getDest() != local) continue;
    local = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(copy->getSource(), 0));
    copy->eraseFromParent();
    break;
  }
  return local && llvm::isa<llvm::StructType>(local->getAllocatedType()) ? local : nullptr;
}

void replace_calls(llvm::Function& from, llvm::Function& to, llvm::Type& outputs) {
  std::vector<llvm::CallInst*> calls;
  for (llvm::User* user : from.users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call && call->getCalledFunction() == &from) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    llvm::IRBuilder<> start(&*call->getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::Value* memory = start.CreateAlloca(&outputs);
    llvm::IRBuilder<> builder(call);
    std::vector<llvm::Value*> arguments = {memory};
    arguments.insert(arguments.end(), call->arg_begin(), call->arg_end());
    llvm::CallInst* replaced = builder.CreateCall(&to, arguments);
    replaced->addParamAttr(0, to.getParamAttribute(0, llvm::Attribute::StructRet));
    replaced->setDebugLoc(call->getDebugLoc());
    call->replaceAllUsesWith(builder.CreateLoad(call->getType(), memory));
    call->eraseFromParent();
  }
}

void convert(llvm::Function& function, llvm::AllocaInst& local) {
  llvm::Type* outputs = local.getAllocatedType();
  llvm::LLVMContext& context = function.getContext();
  std::vector<llvm::Type*> types = {llvm::PointerType::get(context, 0)};
  for (const llvm::Argument& argument : function.args()) types.push_back(argument.getType());
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  auto* converted = llvm::Function::Create(type, function.getLinkage(), "", function.getParent());
  converted->takeName(&function);
  converted->splice(converted->begin(), &function);
  converted->addParamAttr(0, llvm::Attribute::getWithStructRetType(context, outputs));
  for (unsigned i = 0; i < function.arg_size(); ++i) {
    function.getArg(i)->replaceAllUsesWith(converted->getArg(i + 1));
    converted->getArg(i + 1)->takeName(function.getArg(i));
  }
  converted->setSubprogram(function.getSubprogram());
  function.setSubprogram(nullptr);
  for (llvm::BasicBlock& block : *converted) {
    auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end) continue;
    llvm::ReturnInst::Create(context, nullptr, end->getIterator())->setDebugLoc(end->getDebugLoc());
    auto* value = llvm::cast<llvm::Instruction>(end->getReturnValue());
    end->eraseFromParent();
    value->eraseFromParent();
  }
  local.replaceAllUsesWith(converted->getArg(0));
  local.eraseFromParent();
  replace_calls(function, *converted, *outputs);
  function.replaceAllUsesWith(converted);
  function.eraseFromParent();
}

}  // namespace

void return_in_memory(llvm::Module& program) {
  std::vector<llvm::Function*> functions;
  for (llvm::Function& function : program) {
    if (returns_outputs(function)) functions.push_back(&function);
  }
  for (llvm::Function* function : functions) {
    llvm::AllocaInst* local = returned_local(*function);
    if (local) {
      convert(*function, *local);
    } else if (returns_struct(*function)) {
      throw Refusal(
          fmt::format("{}: these outputs do not lie in memory; return a local Outputs, or make one "
                      "of the bools a UInt<1>",
                      source_position(*function->getSubprogram())));
    }
  }
}

}  // namespace systole::compiler
