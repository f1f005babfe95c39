#include "hls/compiler/prove/execute.h"

#include <fmt/format.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <map>
#include <optional>

#include "hls/compiler/frontend/signature.h"
#include "hls/compiler/prove/instructions.h"
#include "hls/compiler/prove/parts.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

constexpr int kMostSteps = 20'000'000;
constexpr int kMostForks = 2'000;
constexpr int kMostCalls = 200;

class Execution {
 public:
  Execution(Circuit& circuit, const llvm::DataLayout& layout)
      : circuit_(circuit), gates_(circuit), instructions_(circuit, layout) {}

  Meaning call(const llvm::Function& function, const std::vector<Meaning>& arguments, State& state,
               const llvm::Instruction* from) {
    if (function.isDeclaration() || function.isVarArg()) {
      if (from) refuse(*from, "no proof covers a function without a body; define it");
      throw Refusal(fmt::format("{} has no body; define it", function.getName().str()));
    }
    if (++depth_ > kMostCalls) refuse(*from, "this recursion has no constant depth; write a loop");
    State inner(circuit_);
    inner.memory = state.memory;
    inner.path = state.path;
    for (const llvm::Argument& argument : function.args()) {
      inner.values[&argument] = arguments.at(argument.getArgNo());
    }
    const int last = instructions_.newest_object();
    run(&function.getEntryBlock(), /*stop=*/nullptr, inner);
    instructions_.remove_locals(last, inner);
    state.memory = std::move(inner.memory);
    state.is_dead = inner.is_dead;
    --depth_;
    return inner.returned.value_or(Meaning{});
  }

  Instructions& instructions() { return instructions_; }

 private:
  /// Runs from a block until `stop` is reached (its phis are then set), or the function ends.
  void run(const llvm::BasicBlock* block, const llvm::BasicBlock* stop, State& state) {
    while (block != stop) {
      const llvm::BasicBlock* next = nullptr;
      for (const llvm::Instruction& instruction : *block) {
        if (llvm::isa<llvm::PHINode>(instruction)) continue;
        if (++steps_ > kMostSteps) {
          refuse(instruction, "this runs too long; give its loops small constant bounds");
        }
        if (instruction.isTerminator()) {
          next = leave(instruction, state);
        } else if (llvm::isa<llvm::CallInst>(instruction) &&
                   !llvm::isa<llvm::IntrinsicInst>(instruction)) {
          step_call(llvm::cast<llvm::CallInst>(instruction), state);
          if (state.is_dead) return;
        } else {
          instructions_.step(instruction, state);
        }
      }
      if (!next) return;
      block = next;
    }
  }

  void step_call(const llvm::CallInst& instruction, State& state) {
    const llvm::Function* function = instruction.getCalledFunction();
    if (!function) refuse(instruction, "call the function by its name");
    std::vector<Meaning> arguments;
    for (const llvm::Value* argument : instruction.args()) {
      arguments.push_back(value(*argument, state));
    }
    Meaning result = call(*function, arguments, state, &instruction);
    state.values[&instruction] = std::move(result);
  }

  /// Takes the terminator's branch; if both ways are possible, runs both until they meet.
  const llvm::BasicBlock* leave(const llvm::Instruction& end, State& state) {
    const llvm::BasicBlock* block = end.getParent();
    if (const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&end)) {
      state.returned = ret->getReturnValue() ? value(*ret->getReturnValue(), state) : Meaning{};
      return nullptr;
    }
    if (llvm::isa<llvm::UnreachableInst>(end)) {
      instructions_.flag(state.path, "a path that the program rules out", end);
      state.is_dead = true;
      return nullptr;
    }
    std::vector<std::pair<Signal, const llvm::BasicBlock*>> ways;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
      Signal condition = kTrue;
      if (branch->isConditional()) condition = value(*branch->getCondition(), state).bits[0];
      ways.emplace_back(condition, branch->getSuccessor(0));
      if (branch->isConditional()) ways.emplace_back(inverse(condition), branch->getSuccessor(1));
    } else if (const auto* pick = llvm::dyn_cast<llvm::SwitchInst>(&end)) {
      const Bits selector = value(*pick->getCondition(), state).bits;
      Signal rest = kTrue;
      for (const auto& option : pick->cases()) {
        const Signal hit = gates_.equal(selector, value(*option.getCaseValue(), state).bits);
        ways.emplace_back(hit, option.getCaseSuccessor());
        rest = circuit_.both(rest, inverse(hit));
      }
      ways.emplace_back(rest, pick->getDefaultDest());
    } else {
      refuse(end,
             fmt::format("no proof covers '{}'; use if, switch and loops", end.getOpcodeName()));
    }
    std::erase_if(ways, [](const auto& way) { return way.first == kFalse; });
    for (const auto& [condition, target] : ways) {
      if (condition == kTrue) return enter(target, block, state);
    }
    return fork(ways, end, state);
  }

  const llvm::BasicBlock* fork(const std::vector<std::pair<Signal, const llvm::BasicBlock*>>& ways,
                               const llvm::Instruction& end, State& state) {
    const llvm::BasicBlock* block = end.getParent();
    const llvm::BasicBlock* meet = meeting_point(*block);
    if (++forks_ > kMostForks) {
      refuse(end, "this loop has no constant bound; give it one and choose inside it");
    }
    std::optional<State> joined;
    for (const auto& [condition, target] : ways) {
      State way = state;
      way.path = circuit_.both(state.path, condition);
      if (way.path == kFalse) continue;
      run(enter(target, block, way), meet, way);
      if (way.is_dead) continue;
      if (joined) {
        join(*joined, condition, way);
      } else {
        joined = std::move(way);
      }
    }
    --forks_;
    if (!joined) {
      state.is_dead = true;
      return nullptr;
    }
    joined->path = state.path;
    state = std::move(*joined);
    return meet;
  }

  /// `way` under the condition, else `state`.
  void join(State& state, Signal condition, const State& way) {
    for (auto at = state.values.begin(); at != state.values.end();) {
      const auto found = way.values.find(at->first);
      if (found == way.values.end()) {
        at = state.values.erase(at);
        continue;
      }
      at->second = choose(circuit_, condition, found->second, at->second);
      ++at;
    }
    state.memory.join(inverse(condition), way.memory);
    if (state.returned && way.returned) {
      state.returned = choose(circuit_, condition, *way.returned, *state.returned);
    }
  }

  const llvm::BasicBlock* enter(const llvm::BasicBlock* block, const llvm::BasicBlock* from,
                                State& state) {
    std::vector<std::pair<const llvm::PHINode*, Meaning>> phis;
    for (const llvm::PHINode& phi : block->phis()) {
      phis.emplace_back(&phi, value(*phi.getIncomingValueForBlock(from), state));
    }
    for (auto& [phi, meaning] : phis) state.values[phi] = std::move(meaning);
    return block;
  }

  const llvm::BasicBlock* meeting_point(const llvm::BasicBlock& block) {
    const llvm::Function* function = block.getParent();
    auto& tree = trees_[function];
    if (!tree)
      tree = std::make_unique<llvm::PostDominatorTree>(*const_cast<llvm::Function*>(function));
    const auto* node = tree->getNode(&block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }

  Meaning value(const llvm::Value& used, State& state) { return instructions_.value(used, state); }

  Circuit& circuit_;
  Arithmetic gates_;
  Instructions instructions_;
  std::map<const llvm::Function*, std::unique_ptr<llvm::PostDominatorTree>> trees_;
  int steps_ = 0;
  int forks_ = 0;
  int depth_ = 0;
};

/// Sets the bits from `low` on.
void place(Bits& memory, std::size_t low, const Bits& bits) {
  std::copy(bits.begin(), bits.end(), memory.begin() + static_cast<std::ptrdiff_t>(low));
}

/// An element with its padding bits: an integer's are unknown, but clang fills the byte of a bit or
/// bool, and the integer of an enum.
Bits in_memory(const Leaf& leaf, const Bits& bits) {
  if (!leaf.is_enum() && leaf.width != 1) return bits;
  const auto width = static_cast<unsigned>(8 * leaf.size_bytes);
  return Arithmetic::extend(bits, width, leaf.is_enum() && enum_shape(leaf.type).is_signed);
}

std::size_t memory_bits(const llvm::DIType* type, const std::vector<Leaf>& leaves) {
  std::size_t bits = type->getSizeInBits();
  for (const Part& part : parts_of(leaves)) {
    bits = std::max(bits, part.low + static_cast<std::size_t>(8 * leaves[part.leaf].size_bytes));
  }
  return bits;
}

}  // namespace

Bits FunctionMeaning::result() const {
  Bits all;
  for (const Value& value : results) all.insert(all.end(), value.bits.begin(), value.bits.end());
  return all;
}

FunctionMeaning execute(const llvm::Function& function, Circuit& circuit) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  const auto types = function.getSubprogram()->getType()->getTypeArray();
  const llvm::DISubprogram& source = pipelined_function(*class_of(function.getSubprogram()));
  const std::string position = source_position(source);
  Execution execution(circuit, layout);
  State state(circuit);
  FunctionMeaning meaning;
  meaning.name = source.getName().str();

  const llvm::DIType* result_type = strip_type(types[1]);
  const std::vector<Leaf> result = leaves_of_value(result_type, "result", position);
  MemoryObject written;
  written.bits = circuit.inputs(static_cast<unsigned>(memory_bits(result_type, result)));
  const int result_object = execution.instructions().add_object(state, written);
  std::vector<Meaning> values = {Instructions::pointer_to(result_object)};
  for (unsigned i = 2; i < types.size(); ++i) {
    const llvm::DIType* type = strip_type(types[i]);
    const auto leaves = leaves_of_value(type, parameter_name(source, i - 2), position);
    const std::size_t size = memory_bits(type, leaves);
    MemoryObject content;
    content.bits = circuit.inputs(static_cast<unsigned>(size));
    content.writable = false;
    Bits image(size, kFalse);
    const std::size_t first = meaning.arguments.size();
    for (const Leaf& leaf : leaves)
      meaning.arguments.push_back({without_underscore(leaf.name), {}});
    for (const Part& part : parts_of(leaves)) {
      const Leaf& leaf = leaves[part.leaf];
      const Bits bits = circuit.inputs(leaf.width);
      Bits& all = meaning.arguments[first + part.leaf].bits;
      all.insert(all.end(), bits.begin(), bits.end());
      for (Bits* memory : {&content.bits, &image}) place(*memory, part.low, in_memory(leaf, bits));
    }
    meaning.memory.push_back(image);
    values.push_back(Instructions::pointer_to(execution.instructions().add_object(state, content)));
  }
  execution.call(function, values, state, nullptr);
  const Bits& memory = state.memory.find(result_object)->bits;
  for (const Leaf& leaf : result) meaning.results.push_back({without_underscore(leaf.name), {}});
  for (const Part& part : parts_of(result)) {
    for (std::size_t bit = part.low; bit < part.low + result[part.leaf].width; ++bit) {
      meaning.results[part.leaf].bits.push_back(memory[bit]);
      meaning.places.push_back(static_cast<int>(bit));
    }
  }
  meaning.undefined = execution.instructions().undefined();
  return meaning;
}

}  // namespace systole::compiler
