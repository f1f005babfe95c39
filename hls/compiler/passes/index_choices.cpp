#include "hls/compiler/passes/index_choices.h"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hls/compiler/analyses/location.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

bool chooses(const llvm::Value* value) {
  return value->getType()->isPointerTy() &&
         (llvm::isa<llvm::PHINode>(value) || llvm::isa<llvm::SelectInst>(value));
}

/// The ways of a choice, as operands.
std::vector<llvm::Use*> ways_of(llvm::Instruction& choice) {
  std::vector<llvm::Use*> ways;
  const unsigned first = llvm::isa<llvm::SelectInst>(choice) ? 1 : 0;
  for (unsigned i = first; i < choice.getNumOperands(); ++i) {
    ways.push_back(&choice.getOperandUse(i));
  }
  return ways;
}

/// Whether the value is there wherever the function is.
bool is_everywhere(const llvm::Value& base) {
  return llvm::isa<llvm::Argument>(base) || llvm::isa<llvm::Constant>(base) ||
         llvm::isa<llvm::AllocaInst>(base);
}

/// Choices that hand on to each other, all between places of one array.
class Web {
 public:
  Web(llvm::Instruction& first, const llvm::DataLayout& layout) : layout_(layout) {
    nodes_.insert(&first);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (llvm::Use* way : ways_of(*nodes_[i])) {
        if (chooses(way->get())) nodes_.insert(llvm::cast<llvm::Instruction>(way->get()));
      }
      for (llvm::User* user : nodes_[i]->users()) {
        if (chooses(user)) nodes_.insert(llvm::cast<llvm::Instruction>(user));
      }
    }
  }

  const llvm::SetVector<llvm::Instruction*>& nodes() const { return nodes_; }

  bool is_only_compared() const {
    return std::ranges::all_of(nodes_, [&](const llvm::Instruction* node) {
      return std::ranges::all_of(node->users(), [&](const llvm::User* user) {
        return chooses(user) || llvm::isa<llvm::ICmpInst>(user) ||
               llvm::isa<llvm::PtrToIntInst>(user);
      });
    });
  }

  /// Whether every way leads to an element of one array.
  bool has_one_array() {
    for (llvm::Instruction* node : nodes_) {
      for (llvm::Use* way : ways_of(*node)) {
        if (!chooses(way->get()) && !take(way->get())) return false;
      }
    }
    if (!base_ || !element_ || !is_everywhere(*base_)) return false;
    size_ = static_cast<std::int64_t>(layout_.getTypeAllocSize(element_).getFixedValue());
    return size_ > 0 && std::ranges::all_of(leaves_, [&](const Location& leaf) {
             return leaf.indices.size() <= 1 && leaf.bytes.getSExtValue() % size_ == 0 &&
                    std::ranges::all_of(leaf.indices, [&](const auto& index) {
                      return index.first->getType()->isIntegerTy(Location::kBits) &&
                             index.second == static_cast<std::uint64_t>(size_);
                    });
           });
  }

  void replace() {
    llvm::Type* type = llvm::Type::getInt64Ty(nodes_[0]->getContext());
    std::map<llvm::Value*, llvm::Value*> indices;
    for (llvm::Instruction* node : nodes_) {
      if (auto* join = dyn_cast<llvm::PHINode>(node)) {
        indices[node] =
            llvm::PHINode::Create(type, join->getNumIncomingValues(), "index", join->getIterator());
      } else {
        auto* choice = llvm::cast<llvm::SelectInst>(node);
        llvm::Value* none = llvm::PoisonValue::get(type);  // until all indices are known
        indices[node] = llvm::SelectInst::Create(choice->getCondition(), none, none, "index",
                                                 node->getIterator());
      }
    }
    for (llvm::Instruction* node : nodes_) {
      auto* index = llvm::cast<llvm::Instruction>(indices.at(node));
      auto* join = dyn_cast<llvm::PHINode>(node);
      for (llvm::Use* way : ways_of(*node)) {
        llvm::Instruction* at = join ? join->getIncomingBlock(*way)->getTerminator() : index;
        llvm::Value* place = chooses(way->get()) ? indices.at(way->get()) : index_of(*way, *at);
        if (join) {
          llvm::cast<llvm::PHINode>(index)->addIncoming(place, join->getIncomingBlock(*way));
        } else {
          index->setOperand(way->getOperandNo(), place);
        }
      }
    }
    for (llvm::Instruction* node : nodes_) {
      llvm::BasicBlock* block = node->getParent();
      llvm::IRBuilder<> builder(block, llvm::isa<llvm::PHINode>(node)
                                           ? block->getFirstInsertionPt()
                                           : std::next(node->getIterator()));
      llvm::Value* pointer = builder.CreateGEP(element_, base_, indices.at(node));
      node->replaceUsesWithIf(pointer,
                              [](const llvm::Use& use) { return !chooses(use.getUser()); });
    }
    for (llvm::Instruction* node : nodes_) {
      node->replaceAllUsesWith(llvm::PoisonValue::get(node->getType()));  // each other's
      node->eraseFromParent();
    }
  }

 private:
  bool take(llvm::Value* leaf) {
    const Location location = location_of(leaf, layout_);
    if (base_ && base_ != location.base) return false;
    base_ = location.base;
    if (auto* step = dyn_cast<llvm::GEPOperator>(leaf); step && !element_) {
      element_ = step->getResultElementType();
    }
    leaves_.push_back(location);
    return true;
  }

  llvm::Value* index_of(llvm::Use& way, llvm::Instruction& at) const {
    const Location location = location_of(way.get(), layout_);
    llvm::IRBuilder<> builder(&at);
    llvm::Value* elements =
        builder.getInt64(static_cast<std::uint64_t>(location.bytes.getSExtValue() / size_));
    if (location.indices.empty()) return elements;
    return builder.CreateAdd(location.indices.front().first, elements);
  }

  const llvm::DataLayout& layout_;
  llvm::SetVector<llvm::Instruction*> nodes_;
  llvm::Value* base_ = nullptr;
  llvm::Type* element_ = nullptr;
  std::int64_t size_ = 0;
  std::vector<Location> leaves_;
};

}  // namespace

void index_choices(llvm::Function& function, bool read_too) {
  std::set<llvm::Instruction*> seen;
  std::vector<llvm::Instruction*> choices;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (chooses(&instruction)) choices.push_back(&instruction);
  }
  for (llvm::Instruction* choice : choices) {
    if (seen.count(choice) != 0) continue;
    Web web(*choice, function.getParent()->getDataLayout());
    seen.insert(web.nodes().begin(), web.nodes().end());
    if ((read_too || web.is_only_compared()) && web.has_one_array()) web.replace();
  }
}

llvm::PreservedAnalyses IndexChoices::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager&) {
  index_choices(function, false);
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace systole::compiler
