#include "hls/compiler/lower/lower_thread.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopUtils.h>

#include <algorithm>
#include <map>
#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/checks/check.h"
#include "hls/compiler/checks/shift_amounts.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/lower/lower_steps.h"
#include "hls/compiler/passes/drop_unreachable_states.h"
#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/passes/narrow.h"
#include "hls/compiler/passes/simplify.h"
#include "hls/compiler/passes/split_at_suspensions.h"
#include "hls/compiler/passes/state_registers.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/pass_trace.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::dyn_cast;

/// "hls.wait_pop" -> kPop; nothing for other calls.
std::optional<WaitKind> wait_of(const llvm::Instruction& instruction) {
  const auto* call = dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee) return std::nullopt;
  if (callee->getName() == "hls.wait_clock") return WaitKind::kClock;
  if (callee->getName() == "hls.wait_pop") return WaitKind::kPop;
  if (callee->getName() == "hls.wait_push") return WaitKind::kPush;
  return std::nullopt;
}

bool contains_suspension(const llvm::Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      if (is_suspension(instruction)) return true;
    }
  }
  return false;
}

bool is_to_be_unrolled(const llvm::Loop& loop) {
  return llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.enable") ||
         llvm::findStringMetadataForLoop(&loop, "llvm.loop.unroll.full");
}

/// Unrolls the loops without a wait, and those under `#pragma unroll`, whose turns then have states
/// of their own; from the inside out. What cannot be unrolled is found later.
void unroll_where_needed(llvm::Function& function) {
  std::set<const llvm::BasicBlock*> tried;
  for (int round = 0; round < 64; ++round) {
    bool found = false;
    {
      llvm::DominatorTree dominators(function);
      llvm::LoopInfo loops(dominators);
      for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost()) continue;
        if (contains_suspension(*loop)) {
          if (!is_to_be_unrolled(*loop)) continue;
          allow_copies(*loop);
        }
        if (!tried.insert(loop->getHeader()).second) continue;
        llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
        found = true;
      }
    }
    if (!found) return;
    unroll_marked(function);
    forbid_copies(function);
    tidy(function);
  }
}

std::string camel(llvm::StringRef name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_') {
      upper = true;
    } else {
      result += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return result;
}

class ThreadLowering {
 public:
  ThreadLowering(llvm::Module& program, llvm::Function& function)
      : program_(program), function_(function) {
    thread_.name = function.getSubprogram()->getName().str();
    thread_.ports = thread_ports(*function.getSubprogram());
    thread_.registers = thread_.ports.registers;
  }

  LoweredThread run() {
    make_sequential(function_);
    after_pass("make_sequential", function_);
    prepare_program(program_, {&function_});
    check_language(function_);
    check_shift_amounts(function_);
    tidy(function_);
    refuse_recursion(function_);
    unroll_where_needed(function_);
    tidy(function_);  // what chose between the addresses of locals is values now
    lower_switches(function_);
    after_pass("unroll", function_);
    const Suspensions suspensions = split_at_suspensions(function_);
    if (std::all_of(suspensions.calls.begin(), suspensions.calls.end(),
                    [](const llvm::CallInst* call) { return is_final(*call); })) {
      throw Refusal(
          fmt::format("{}: '{}' never waits; co_await clock(), a stream's pop() or its push()",
                      source_position(*function_.getSubprogram()), thread_.name));
    }
    after_pass("split_at_suspensions", function_);
    name_states(suspensions);
    add_registers(suspensions);
    for (std::size_t i = 0; i < suspensions.calls.size(); ++i) {
      thread_.states[i].edge =
          edge_of(suspensions, suspensions.resumed[i], thread_.name + "." + thread_.states[i].name);
    }
    thread_.reset = edge_of(suspensions, nullptr, thread_.name + ".reset");
    check_reset();
    drop_dead_registers(thread_);
    narrow_registers(thread_);
    for_each_edge(simplify);
    drop_unreachable_states(thread_);
    drop_dead_registers(thread_);  // what only another dead register used
    for_each_edge(finish);
    drop_unreachable_states(thread_);
    return std::move(thread_);
  }

 private:
  // ---- States ----

  void name_states(const Suspensions& suspensions) {
    std::map<std::string, int> same_label;
    for (llvm::CallInst* call : suspensions.calls) {
      ThreadState state = state_of(*call);
      state.name = camel(loop_label(*call));
      if (state.kind == WaitKind::kEnd) state.name = "Done";
      ++same_label[state.name];
      thread_.states.push_back(state);
    }
    std::set<std::string> taken;
    for (ThreadState& state : thread_.states) {
      std::string name = "St" + state.name;
      if (state.name.empty() || same_label[state.name] > 1) name += role(state);
      const std::string base = name;
      for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{}{}", base, copy);
      state.name = name;
    }
  }

  std::string role(const ThreadState& state) const {
    switch (state.kind) {
      case WaitKind::kPop:
        return "Pop" + camel(thread_.ports.parameters[state.stream].name);
      case WaitKind::kPush:
        return "Push" + camel(thread_.ports.parameters[state.stream].name);
      case WaitKind::kClock:
        return "Clock";
      case WaitKind::kEnd:
        return "Done";
    }
    return "";
  }

  /// What the call before the suspension says that it waits for.
  ThreadState state_of(llvm::CallInst& suspension) {
    ThreadState state;
    state.position = short_position(suspension.getDebugLoc());
    if (is_final(suspension)) {
      state.kind = WaitKind::kEnd;
      return state;
    }
    for (llvm::Instruction* at = suspension.getPrevNode(); at; at = at->getPrevNode()) {
      const auto kind = wait_of(*at);
      if (!kind) continue;
      state.kind = *kind;
      if (*kind != WaitKind::kClock) {
        state.stream = parameter_of(*at, *llvm::cast<llvm::CallInst>(at)->getArgOperand(0));
      }
      return state;
    }
    refuse(suspension, "only clock(), pop() and push() can be awaited in hardware");
  }

  int parameter_of(const llvm::Instruction& at, llvm::Value& pointer) const {
    const auto* argument = dyn_cast<llvm::Argument>(pointer.stripPointerCasts());
    if (!argument) {
      refuse(at, "which stream this waits for is not known before it runs; name the stream");
    }
    return static_cast<int>(argument->getArgNo());
  }

  // ---- Registers ----

  void add_registers(const Suspensions& suspensions) {
    for (const llvm::AllocaInst* memory : suspensions.carried) {
      Leaf leaf;
      leaf.name = carried_name(*memory);
      leaf.width = memory->getAllocatedType()->getIntegerBitWidth();
      leaf.size_bytes = (leaf.width + 7) / 8;
      thread_.registers.push_back(leaf);
    }
    Leaf state;
    state.name = "state";
    state.width = state_bits(suspensions);
    state.size_bytes = (state.width + 7) / 8;
    thread_.registers.push_back(state);
  }

  /// The variable that is kept, or else the name that clang gave the value.
  static std::string carried_name(const llvm::AllocaInst& memory) {
    for (const llvm::User* user : memory.users()) {
      const auto* store = dyn_cast<llvm::StoreInst>(user);
      const std::string name =
          store ? variable_path(*const_cast<llvm::Value*>(store->getValueOperand())) : "";
      if (!name.empty()) return name;
    }
    std::string name = memory.getName().take_until([](char c) { return c == '.'; }).str();
    while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back()))) name.pop_back();
    return name.empty() ? "kept" : name;
  }

  static unsigned state_bits(const Suspensions& suspensions) {
    unsigned bits = 1;
    while ((std::size_t{1} << bits) < suspensions.calls.size()) ++bits;
    return bits;
  }

  // ---- Edges ----

  llvm::Function* edge_of(const Suspensions& suspensions, const llvm::BasicBlock* start,
                          const std::string& name) {
    const StateFunction state =
        extract_state(function_, suspensions, start, name, thread_.registers.back().width);
    RegisterAccesses accesses(*state.body, thread_.registers);
    int leaf = static_cast<int>(thread_.ports.registers.size());
    for (llvm::AllocaInst* memory : state.carried) accesses.lower_variable(*memory, leaf++);
    accesses.lower_variable(*state.next_state, thread_.state_register());
    for (std::size_t i = 0; i < thread_.ports.parameters.size(); ++i) {
      accesses.lower_port(*state.body->getArg(static_cast<unsigned>(i)),
                          thread_.ports.parameters[i]);
    }
    accesses.finish();
    after_pass("lower_accesses", *state.body);
    erase_waits(*state.body);
    simplify(*state.body);
    drop_writes_of_same(*state.body);
    return state.body;
  }

  static void finish(llvm::Function& edge) {
    simplify(edge);
    drop_writes_of_same(edge);
    narrow(edge);
    after_pass("narrow", edge);
    check_values(edge);
  }

  void for_each_edge(void (*step)(llvm::Function&)) {
    for (const ThreadState& state : thread_.states) step(*state.edge);
    step(*thread_.reset);
  }

  static void erase_waits(llvm::Function& edge) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(edge))) {
      if (wait_of(instruction)) instruction.eraseFromParent();
    }
  }

  /// Up to its first wait a thread runs at reset: it may only set registers to constants.
  void check_reset() const {
    for (const llvm::Instruction& instruction : llvm::instructions(*thread_.reset)) {
      if (is_operation(instruction, Operation::kReadPort) ||
          is_operation(instruction, Operation::kReadRegister)) {
        refuse(instruction,
               "up to its first wait a thread runs at reset, where it can read no input; put "
               "co_await clock() before this");
      }
    }
  }

  llvm::Module& program_;
  llvm::Function& function_;
  LoweredThread thread_;
};

}  // namespace

LoweredThread lower_thread(llvm::Module& program, const std::string& function) {
  return ThreadLowering(program, *program.getFunction(function)).run();
}

}  // namespace systole::compiler
