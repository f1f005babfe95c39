#include "hls/compiler/passes/switches_to_tests.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include <vector>

namespace systole::compiler {
namespace {

using llvm::BasicBlock;

/// A switch's targets in the order of its cases, with the values that lead to each.
using Ways = llvm::MapVector<BasicBlock*, std::vector<llvm::ConstantInt*>>;

Ways ways_of(llvm::SwitchInst& choice) {
  Ways ways;
  for (const auto one : choice.cases()) {
    if (one.getCaseSuccessor() != choice.getDefaultDest()) {
      ways[one.getCaseSuccessor()].push_back(one.getCaseValue());
    }
  }
  return ways;
}

/// The value of each join in `to` on the edges from `from`, which become one edge.
void join_from(BasicBlock& to, BasicBlock& from, BasicBlock& now) {
  for (llvm::PHINode& phi : to.phis()) {
    llvm::Value* value = phi.getIncomingValueForBlock(&from);
    for (int at = phi.getBasicBlockIndex(&from); at >= 0; at = phi.getBasicBlockIndex(&from)) {
      phi.removeIncomingValue(static_cast<unsigned>(at), false);
    }
    phi.addIncoming(value, &now);
  }
}

void lower(llvm::SwitchInst& choice) {
  BasicBlock& from = *choice.getParent();
  llvm::Value& value = *choice.getCondition();
  const llvm::DebugLoc location = choice.getDebugLoc();
  BasicBlock* otherwise = choice.getDefaultDest();
  Ways ways = ways_of(choice);
  // The last target needs no test if the source leaves no other.
  const bool all = is_never_reached(*otherwise) && !ways.empty();
  struct Edge {
    BasicBlock* to;
    BasicBlock* now;
  };
  std::vector<Edge> edges;
  BasicBlock* at = &from;
  llvm::IRBuilder<> builder(&choice);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto& [to, values] = *(ways.begin() + static_cast<std::ptrdiff_t>(i));
    builder.SetCurrentDebugLocation(location);
    edges.push_back({to, at});
    if (all && i + 1 == ways.size()) {
      builder.CreateBr(to);
      otherwise->removePredecessor(&from);
      otherwise = nullptr;
      break;
    }
    llvm::Value* test = nullptr;
    for (llvm::ConstantInt* one : values) {
      llvm::Value* is_one = builder.CreateICmpEQ(&value, one);
      test = test ? builder.CreateOr(test, is_one) : is_one;
    }
    const bool is_last = i + 1 == ways.size();
    BasicBlock* next = is_last ? otherwise
                               : BasicBlock::Create(from.getContext(), "case", from.getParent(),
                                                    from.getNextNode());
    if (is_last) edges.push_back({otherwise, at});
    builder.CreateCondBr(test, to, next);
    at = next;
    if (!is_last) builder.SetInsertPoint(next);
  }
  if (ways.empty()) {
    builder.CreateBr(otherwise);
    edges.push_back({otherwise, &from});
  }
  for (const Edge& edge : edges) join_from(*edge.to, from, *edge.now);
  choice.eraseFromParent();
}

}  // namespace

bool is_never_reached(const llvm::BasicBlock& block) {
  return llvm::isa<llvm::UnreachableInst>(block.getFirstNonPHIOrDbg());
}

llvm::PreservedAnalyses SwitchesToTests::run(llvm::Function& function,
                                             llvm::FunctionAnalysisManager&) {
  std::vector<llvm::SwitchInst*> choices;
  for (BasicBlock& block : function) {
    if (auto* choice = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator())) {
      choices.push_back(choice);
    }
  }
  for (llvm::SwitchInst* choice : choices) lower(*choice);
  return choices.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace systole::compiler
