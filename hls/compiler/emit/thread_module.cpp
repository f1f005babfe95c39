#include "hls/compiler/emit/thread_module.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/loops.h"
#include "hls/compiler/emit/names.h"
#include "hls/compiler/emit/ports.h"
#include "hls/compiler/emit/signals.h"
#include "hls/compiler/emit/tables.h"
#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"
#include "hls/compiler/verilog/cases.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {
namespace {

class ThreadEmitter {
 public:
  ThreadEmitter(const LoweredThread& thread, const ModuleText& text)
      : thread_(thread),
        text_(text),
        boundary_(boundary_of(thread)),
        printer_([this](const llvm::Value& value, Reference& reference) {
          return look_up(value, reference);
        }) {
    printer_.use(tables_);
  }

  sv::Module run() {
    find_written();
    name_all();
    sv::Statements wires;
    for (const ThreadState& state : thread_.states) emit_wires(state, wires);
    sv::Statements process;
    emit_process(process);
    sv::Statements outputs;
    emit_outputs(outputs);
    sv::Statements tables;
    tables_.declare(tables);
    return {.header = header(),
            .name = text_.name,
            .ports = ports_->declarations(),
            .parts = {tables, declarations(), wires, process, outputs, ports_->rules(names_)}};
  }

 private:
  /// The thread's outside view; none of its outputs depends on an input.
  static LoweredModule boundary_of(const LoweredThread& thread) {
    LoweredModule module;
    module.clock = thread.states.front().edge;
    module.reset = thread.reset;
    module.inputs = thread.ports.inputs;
    module.outputs = thread.ports.outputs;
    return module;
  }

  // ---- Names ----

  void find_written() {
    for (const llvm::Function* edge : thread_.edges()) {
      for (const llvm::Instruction& instruction : llvm::instructions(*edge)) {
        if (is_operation(instruction, Operation::kStore)) written_.insert(leaf_of(instruction));
      }
    }
  }

  void name_all() {
    names_.unique("clk_i");
    names_.unique("rst_ni");
    ports_.emplace(boundary_, names_);
    for (const ThreadState& state : thread_.states)
      state_names_.push_back(names_.unique(state.name));
    state_type_ = names_.unique("state_e");
    state_name_ = names_.unique("state_q");
    for (std::size_t leaf = 0; leaf < thread_.registers.size(); ++leaf) {
      const bool is_state = static_cast<int>(leaf) == thread_.state_register();
      register_names_.push_back(
          is_state ? state_name_
                   : names_.unique(without_underscore(thread_.registers[leaf].name) + "_q"));
    }
    for (const llvm::Function* edge : thread_.edges()) tables_.add(*edge);
  }

  bool look_up(const llvm::Value& value, Reference& reference) const {
    const auto* read = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!read || !is_operation(*read, {Operation::kReadPort, Operation::kReadRegister}))
      return false;
    const bool is_port = is_operation(*read, Operation::kReadPort);
    const int leaf = leaf_of(*read);
    reference = element_of(is_port ? ports_->input(leaf) : register_names_[leaf],
                           is_port ? thread_.ports.inputs[leaf] : thread_.registers[leaf],
                           constant_argument(*read, 1));
    return true;
  }

  // ---- Text ----

  std::string header() const {
    const std::size_t states = thread_.states.size();
    return header_of(
        text_, fmt::format("the thread {}, {} state{}", text_.top, states, states == 1 ? "" : "s"));
  }

  sv::Statements declarations() const {
    sv::Statements out;
    const unsigned bits = thread_.registers.back().width;
    out.line("// ---- What is waited for ----");
    sv::Statements list;
    for (std::size_t i = 0; i < thread_.states.size(); ++i) {
      const ThreadState& state = thread_.states[i];
      const std::string comma = i + 1 < thread_.states.size() ? "," : "";
      list.line(fmt::format("{} = {}'d{}{}  // {}{}", state_names_[i], bits, i, comma,
                            waited_for(state),
                            state.position.empty() ? "" : ", " + state.position));
    }
    out.list(fmt::format("typedef enum {} {{", sv::logic_type(bits)), list,
             fmt::format("}} {};", state_type_));
    out.blank();
    out.line("// ---- Registers ----");
    out.line(fmt::format("{} {};", state_type_, state_name_));
    for (std::size_t leaf = 0; leaf < thread_.registers.size(); ++leaf) {
      if (static_cast<int>(leaf) == thread_.state_register() || !is_kept(static_cast<int>(leaf))) {
        continue;
      }
      out.add(sv::declaration(register_names_[leaf], bits_of(thread_.registers[leaf])));
      if (written_.count(static_cast<int>(leaf)) == 0) {  // 0, as in C++
        out.connect(register_names_[leaf], "'0");
      }
    }
    return out;
  }

  /// An output register exists even if nothing writes it.
  bool is_kept(int leaf) const {
    return written_.count(leaf) != 0 || leaf < static_cast<int>(thread_.ports.registers.size());
  }

  std::string waited_for(const ThreadState& state) const {
    switch (state.kind) {
      case WaitKind::kClock:
        return "the next edge";
      case WaitKind::kPop:
        return fmt::format("{}.pop()", thread_.ports.streams[state.stream].name);
      case WaitKind::kPush:
        return fmt::format("{}.push()", thread_.ports.streams[state.stream].name);
      case WaitKind::kStrobe:
        return thread_.ports.streams[state.stream].name + ", which is set for one clock";
      case WaitKind::kEnd:
        return "the next reset";
    }
    return "";
  }

  /// The values of a state with their own signals; they depend on ports and registers only.
  void emit_wires(const ThreadState& state, sv::Statements& out) {
    const std::map<const llvm::Value*, NameChoices> value_names =
        compiler::value_names(*state.edge);
    const std::map<const llvm::Value*, int> repeated = written_repeatedly(*state.edge);
    bool first = true;
    for (llvm::Instruction& instruction : llvm::instructions(*state.edge)) {
      if (instruction.isTerminator() || is_any_operation(instruction) ||
          llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) {
        continue;
      }
      if (llvm::isa<llvm::PHINode>(instruction)) {
        refuse(instruction, "this choice has no hardware; use ?:");
      }
      if (!deserves_signal(instruction) && repeated.count(&instruction) == 0) continue;
      const unsigned width = width_of(instruction);
      NameChoices choices = value_names.at(&instruction);
      if (const auto found = repeated.find(&instruction); found != repeated.end()) {
        choices = {without_underscore(thread_.registers[found->second].name) + "_d"};
      }
      const std::string name = names_.unique(choices);
      if (first) {
        out.blank();
        out.line(fmt::format("// ---- {}: values for its edge ----", state.name));
        first = false;
      }
      out.define(name, width, printer_.expression(instruction));
      printer_.name(instruction, {name, 0, width, width});
    }
  }

  /// Register values of a block that is printed at several places, since two edges lead to it: they
  /// are computed once, outside. Each with its register.
  static std::map<const llvm::Value*, int> written_repeatedly(llvm::Function& edge) {
    const ControlFlow flow(edge);
    std::map<const llvm::BasicBlock*, int> visits;
    count_visits(flow, &edge.getEntryBlock(), nullptr, visits);
    std::map<const llvm::Value*, int> values;
    for (const auto& [block, count] : visits) {
      if (count < 2) continue;
      for (const llvm::Instruction& instruction : *block) {
        if (!is_operation(instruction, Operation::kStore)) continue;
        values[instruction.getOperand(2)] = leaf_of(instruction);
      }
    }
    return values;
  }

  static void count_visits(const ControlFlow& flow, const llvm::BasicBlock* block,
                           const llvm::BasicBlock* stop,
                           std::map<const llvm::BasicBlock*, int>& visits) {
    while (block && block != stop) {
      ++visits[block];
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch) return;
      if (!branch->isConditional()) {
        block = branch->getSuccessor(0);
        continue;
      }
      const llvm::BasicBlock* join = flow.join_of(block);
      count_visits(flow, branch->getSuccessor(0), join, visits);
      count_visits(flow, branch->getSuccessor(1), join, visits);
      block = join;
    }
  }

  void emit_process(sv::Statements& out) {
    sv::Statements body;
    sv::Statement choice{.kind = sv::Statement::Kind::kCase, .text = "", .value = state_name_};
    for (std::size_t i = 0; i < thread_.states.size(); ++i) {
      const ThreadState& state = thread_.states[i];
      if (state.kind == WaitKind::kEnd) continue;
      const ControlFlow flow(*state.edge);
      sv::Statements edge;
      state_now_ = static_cast<std::int64_t>(i);
      region(flow, &state.edge->getEntryBlock(), nullptr, edge);
      if (edge.empty()) continue;
      const int waited = state.stream < 0 ? -1 : thread_.ports.streams[state.stream].input;
      sv::Statement::Arm& arm = choice.arms.emplace_back();
      arm.labels.push_back(state_names_[i]);
      arm.body.branch(waited < 0 ? sv::Expression() : ports_->input(waited), edge);
    }
    state_now_ = -1;
    choice.arms.emplace_back();
    body.add(std::move(choice));
    sv::Statements reset;
    const ControlFlow flow(*thread_.reset);
    region(flow, &thread_.reset->getEntryBlock(), nullptr, reset);
    body.branch(sv::unary("!", "rst_ni"), reset);
    out.line("// ---- The edge ----");
    out.block("always_ff @(posedge clk_i)", body, "edge_of_clk");
  }

  void region(const ControlFlow& flow, const llvm::BasicBlock* block, const llvm::BasicBlock* stop,
              sv::Statements& out) {
    while (block && block != stop) {
      for (const llvm::Instruction& instruction : *block) {
        if (is_operation(instruction, Operation::kStore)) store(instruction, out);
      }
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch) return;
      if (!branch->isConditional()) {
        block = branch->getSuccessor(0);
        continue;
      }
      const llvm::BasicBlock* join = flow.join_of(block);
      choice(flow, *branch, join, out);
      block = join;
    }
  }

  /// The two ways of a branch, up to the join.
  void choice(const ControlFlow& flow, const llvm::BranchInst& branch, const llvm::BasicBlock* join,
              sv::Statements& out) {
    sv::Statements first;
    sv::Statements second;
    region(flow, branch.getSuccessor(0), join, first);
    region(flow, branch.getSuccessor(1), join, second);
    const sv::Expression condition = printer_.operand(*branch.getCondition());
    if (!first.empty()) {
      out.branch(condition, std::move(first), std::move(second));
    } else if (!second.empty()) {
      out.branch(sv::unary("!", condition), std::move(second));
    }
  }

  void store(const llvm::Instruction& instruction, sv::Statements& out) {
    const int leaf = leaf_of(instruction);
    const llvm::Value& value = *instruction.getOperand(2);
    const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&value);
    if (leaf == thread_.state_register() && constant) {
      if (static_cast<std::int64_t>(constant->getZExtValue()) == state_now_) return;  // it stays
      out.assign(state_name_, "<=", state_names_[constant->getZExtValue()]);
      return;
    }
    const Reference target = element_of(register_names_[leaf], thread_.registers[leaf],
                                        constant_argument(instruction, 1));
    out.assign(expression_of(target), "<=", printer_.operand(value));
  }

  void emit_outputs(sv::Statements& out) const {
    out.line("// ---- Outputs ----");
    for (std::size_t i = 0; i < thread_.ports.outputs.size(); ++i) {
      const int leaf = thread_.ports.register_of_output[i];
      out.connect(ports_->output(static_cast<int>(i)),
                  leaf >= 0 ? register_names_[leaf] : waiting(static_cast<int>(i)));
    }
  }

  /// A stream's ready or valid, or a strobe: the states that wait for it.
  sv::Expression waiting(int output) const {
    sv::Expression waits;
    for (std::size_t i = 0; i < thread_.states.size(); ++i) {
      const ThreadState& state = thread_.states[i];
      if (state.stream < 0 || thread_.ports.streams[state.stream].output != output) continue;
      const sv::Expression here = sv::binary(state_name_, "==", state_names_[i]);
      waits = waits.empty() ? here : sv::binary(waits, "||", here);
    }
    return waits.empty() ? sv::zeros(1) : waits;
  }

  const LoweredThread& thread_;
  const ModuleText& text_;
  LoweredModule boundary_;
  ExpressionBuilder printer_;
  Names names_;
  Tables tables_{names_};
  std::optional<Ports> ports_;
  std::vector<std::string> register_names_;
  std::vector<std::string> state_names_;
  std::string state_type_;
  std::string state_name_;
  std::set<int> written_;
  std::int64_t state_now_ = -1;  ///< the state whose edge is printed
};

}  // namespace

sv::Module emit_thread_module(const LoweredThread& thread, const ModuleText& text) {
  return sv::with_cases(ThreadEmitter(thread, text).run());
}

}  // namespace systole::compiler
