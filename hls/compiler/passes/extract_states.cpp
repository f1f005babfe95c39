#include "hls/compiler/passes/extract_states.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "hls/compiler/analyses/address.h"
#include "hls/compiler/ir/lowered_thread.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/passes/make_sequential.h"
#include "hls/compiler/passes/register_accesses.h"
#include "hls/compiler/passes/split_at_suspensions.h"
#include "hls/compiler/support/diagnostic.h"
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
  if (callee->getName() == "hls.wait_strobe") return WaitKind::kStrobe;
  return std::nullopt;
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

class StateExtraction {
 public:
  StateExtraction(llvm::Function& function, const Suspensions& suspensions, LoweredThread& thread)
      : function_(function), suspensions_(suspensions), thread_(thread) {}

  void run() {
    name_states();
    add_registers();
    for (std::size_t i = 0; i < suspensions_.calls.size(); ++i) {
      thread_.states[i].edge =
          edge_of(suspensions_.resumed[i], thread_.name + "." + thread_.states[i].name);
    }
    thread_.reset = edge_of(nullptr, thread_.name + ".reset");
  }

 private:
  // ---- States ----

  void name_states() {
    std::map<std::string, int> same_label;
    for (llvm::CallInst* call : suspensions_.calls) {
      ThreadState state = state_of(*call);
      state.name = camel(label_of(*call));
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
        return "Pop" + camel(thread_.ports.streams[state.stream].name);
      case WaitKind::kPush:
        return "Push" + camel(thread_.ports.streams[state.stream].name);
      case WaitKind::kStrobe:
        return camel(thread_.ports.parameters[parameter_of(state)].name);
      case WaitKind::kClock:
        return "Clock";
      case WaitKind::kEnd:
        return "Done";
    }
    return "";
  }

  /// What the suspension waits for, from the call before it.
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
        state.stream = stream_of(*at, *llvm::cast<llvm::CallInst>(at)->getArgOperand(0));
      }
      return state;
    }
    refuse(suspension, "only clock(), pop() and push() can be awaited in hardware");
  }

  int parameter_of(const ThreadState& state) const {
    return thread_.ports.streams[state.stream].parameter;
  }

  int stream_of(const llvm::Instruction& at, llvm::Value& pointer) const {
    const Address address = decode(&pointer, function_.getParent()->getDataLayout());
    std::int64_t offset = address.field_bytes;
    for (const Address::Index& step : address.indices) offset += step.constant * step.stride_bytes;
    const auto& streams = thread_.ports.streams;
    const auto found = std::ranges::find_if(streams, [&](const ThreadStream& stream) {
      return address.base == function_.getArg(static_cast<unsigned>(stream.parameter)) &&
             stream.offset_bytes == offset;
    });
    if (found == streams.end()) {
      refuse(at, "which stream this waits for is not known before it runs; name the stream");
    }
    return static_cast<int>(found - streams.begin());
  }

  // ---- Registers ----

  void add_registers() {
    for (const llvm::AllocaInst* memory : suspensions_.carried) {
      Leaf leaf;
      leaf.name = carried_name(*memory);
      leaf.width = memory->getAllocatedType()->getIntegerBitWidth();
      leaf.size_bytes = (leaf.width + 7) / 8;
      thread_.registers.push_back(leaf);
    }
    Leaf state;
    state.name = "state";
    state.width = state_bits();
    state.size_bytes = (state.width + 7) / 8;
    thread_.registers.push_back(state);
  }

  /// The kept variable's name, else clang's name for the value.
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

  unsigned state_bits() const {
    unsigned bits = 1;
    while ((std::size_t{1} << bits) < suspensions_.calls.size()) ++bits;
    return bits;
  }

  // ---- Edges ----

  llvm::Function* edge_of(const llvm::BasicBlock* start, const std::string& name) {
    const StateFunction state =
        extract_state(function_, suspensions_, start, name, thread_.registers.back().width);
    RegisterAccesses accesses(*state.body, thread_.registers);
    int leaf = static_cast<int>(thread_.ports.registers.size());
    for (llvm::AllocaInst* memory : state.carried) accesses.lower_variable(*memory, leaf++);
    accesses.lower_variable(*state.next_state, thread_.state_register());
    for (std::size_t i = 0; i < thread_.ports.parameters.size(); ++i) {
      accesses.lower_port(*state.body->getArg(static_cast<unsigned>(i)),
                          thread_.ports.parameters[i]);
    }
    erase_waits(*state.body);
    accesses.finish();
    return state.body;
  }

  static void erase_waits(llvm::Function& edge) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(edge))) {
      if (wait_of(instruction)) instruction.eraseFromParent();
    }
  }

  llvm::Function& function_;
  const Suspensions& suspensions_;
  LoweredThread& thread_;
};

}  // namespace

void extract_states(llvm::Function& function, const Suspensions& suspensions,
                    LoweredThread& thread) {
  StateExtraction(function, suspensions, thread).run();
}

}  // namespace systole::compiler
