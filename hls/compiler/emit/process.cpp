#include "hls/compiler/emit/process.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/emit/changing_reads.h"
#include "hls/compiler/emit/pipeline_clocks.h"
#include "hls/compiler/emit/read_bits.h"
#include "hls/compiler/emit/signals.h"
#include "hls/compiler/emit/value_names.h"
#include "hls/compiler/emit/vector_writes.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

/// How often a block may be written out: once for each way to it that joins at no later block.
constexpr int kMostCopies = 500;

class ProcessEmitter {
 public:
  ProcessEmitter(llvm::Function& function, const ControlFlow& flow, const ProcessContext& context)
      : function_(function),
        flow_(flow),
        context_(context),
        printer_([this](const llvm::Value& value, Reference& reference) {
          return look_up(value, reference);
        }),
        clocks_(context, printer_,
                [this](const NameChoices& choices, unsigned width, sv::Statements& out) {
                  return temporary(choices, width, out);
                }) {
    printer_.use(context.enums);
    printer_.use(context.views);
    printer_.use(context.tables);
  }

  sv::Statements run() {
    sv::Statements top;
    region(&function_.getEntryBlock(), nullptr, top);
    write_registers(top);
    return top;
  }

 private:
  // ---- Values ----

  bool look_up(const llvm::Value& value, Reference& reference) const {
    if (context_.combinational.count(&value) != 0) {
      return context_.outside.find(value, reference);
    }
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
    if (!instruction) return false;
    const unsigned width = width_of(value);
    if (is_operation(*instruction, Operation::kLoad)) {
      reference = {array_element(llvm::cast<llvm::CallInst>(*instruction)), 0, width, width};
      return true;
    }
    if (is_operation(*instruction, Operation::kPipelineOutput)) {
      const auto& call = llvm::cast<llvm::CallInst>(*instruction);
      const PipelineText& pipeline = context_.pipelines.at(leaf_of(call));
      reference = pipeline.result(constant_argument(call, 2), constant_argument(call, 3),
                                  pipeline.is_array() ? index_of(call) : sv::Expression());
      return true;
    }
    return context_.outside.find(value, reference);
  }

  sv::Expression index_of(const llvm::CallInst& call) const {
    return printer_.index(*call.getArgOperand(1), context_.state[leaf_of(call)].elements());
  }

  sv::Expression array_element(const llvm::CallInst& call) const {
    return sv::element(context_.register_names.at(leaf_of(call)), index_of(call));
  }

  /// Whether a read may be printed at its use: nothing writes its array in between.
  static bool stays_valid(const llvm::Instruction& read) {
    ChangingReads reads;
    (is_operation(read, Operation::kLoad) ? reads.arrays : reads.pipelines).insert(leaf_of(read));
    return holds_until_used(read, reads);
  }

  /// A variable for a value of the block, declared in it, or above the loop around it.
  std::string temporary(const NameChoices& choices, unsigned width, sv::Statements& out) {
    return inside_.empty() && !reads_first_ ? context_.temporaries.declare(choices, width, out)
                                            : context_.temporaries.add(choices, width);
  }

  void name(const llvm::Value& value, const Reference& reference) {
    printer_.name(value, reference);
    local_.push_back(&value);
  }

  void define(const llvm::Instruction& value, sv::Statements& out, const sv::Expression& read) {
    const unsigned width = width_of(value);
    const std::string name = temporary(names_of(value, read), width, out);
    if (!read.empty()) out.assign(name, "=", read);
    this->name(value, {name, 0, width, width});
  }

  /// A lane's read is named after its register, any other value after the source.
  NameChoices names_of(const llvm::Instruction& value, const sv::Expression& read) const {
    if (!reads_first_ || !contains(read, sv::Expression::Kind::kElement)) {
      return context_.names.at(&value);
    }
    const std::string name = sv::root_of(read);
    return {name.substr(0, name.rfind("_q"))};
  }

  /// A temporary with only the bits that are read.
  void define_what_is_read(const llvm::Instruction& value, sv::Statements& out) {
    const ExpressionBuilder::Use here = printer_.at(&value);
    printer_.forget(value);  // a block reached from two arms is printed in both
    const unsigned width = width_of(value);
    const BitSpan bits = read_bits(value, [](const llvm::Instruction&) { return true; });
    if (bits.width() == width) return define(value, out, printer_.expression(value));
    const std::string name = temporary(context_.names.at(&value), bits.width(), out);
    out.assign(name, "=", printer_.slice(value, bits.high, bits.low));
    this->name(value, {name, 0, width, bits.width(), bits.low});
  }

  // ---- Control flow ----

  void region(llvm::BasicBlock* block, const llvm::BasicBlock* stop, sv::Statements& out) {
    while (block && block != stop) {
      const CountedLoop* loop = flow_.loop_at(block);
      if (loop && inside_.count(block) == 0) {
        emit_loop(*loop, out);
        block = leave(loop->latch, loop->exit, out);
        continue;
      }
      if (++copies_[block] > kMostCopies) {
        refuse(
            last_branch_ ? *last_branch_ : *block->getTerminator(),
            "this is written out for each way to it, which is too often: a branch in an unrolled "
            "loop leaves it early; set a bool there instead, and test it in each iteration");
      }
      for (llvm::Instruction& instruction : *block) statement(instruction, out);
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block->getTerminator());
      if (!branch || is_current_latch(block)) return;
      if (!branch->isConditional()) {
        block = leave(block, branch->getSuccessor(0), out);
        continue;
      }
      if (branch->getDebugLoc()) last_branch_ = branch;
      block = emit_if(block, *branch, out);
    }
  }

  bool is_current_latch(const llvm::BasicBlock* block) const {
    return std::any_of(inside_.begin(), inside_.end(), [&](const llvm::BasicBlock* header) {
      return flow_.loop_at(header)->latch == block;
    });
  }

  /// Assigns the joins of `to` their values on the edge from `from`.
  llvm::BasicBlock* leave(llvm::BasicBlock* from, llvm::BasicBlock* to, sv::Statements& out) {
    const CountedLoop* loop = flow_.loop_at(to);
    for (llvm::PHINode& phi : to->phis()) {
      if (loop && loop->variable == &phi) continue;
      if (context_.combinational.count(&phi) != 0) continue;
      Reference target;
      if (phi.getNumIncomingValues() == 1) {  // the loop-closed form of one value
        if (printer_.find(*phi.getIncomingValue(0), target)) printer_.name(phi, target);
        continue;
      }
      const llvm::Value& value = *phi.getIncomingValueForBlock(from);
      if (settled_.count(&phi) != 0) continue;
      if (sole_write(phi)) {
        settle(phi, value, out);
        continue;
      }
      if (!printer_.find(phi, target)) {  // a block that several edges, but not all, lead to
        const unsigned width = width_of(phi);
        target = {context_.temporaries.add(context_.names.at(&phi), width), 0, width, width};
        printer_.name(phi, target);
      }
      settle(phi, value, out);
    }
    return to;
  }

  static const llvm::CallInst* only_write(const llvm::Value& value) {
    if (!value.hasOneUse()) return nullptr;
    const auto* user = llvm::dyn_cast<llvm::CallInst>(*value.user_begin());
    return user && is_operation(*user, Operation::kWriteRegister) ? user : nullptr;
  }

  /// The register write that is the join's only use: it moves to the join's predecessors.
  const llvm::CallInst* sole_write(const llvm::PHINode& phi) const {
    const llvm::CallInst* write = only_write(phi);
    const bool is_here =
        write && (write->getParent() == phi.getParent() ||
                  (flow_.always_runs(write->getParent()) && flow_.always_runs(phi.getParent())));
    return is_here ? write : nullptr;
  }

  /// Assigns a join its value on one edge.
  void settle(llvm::PHINode& phi, const llvm::Value& value, sv::Statements& out) {
    const llvm::CallInst* write = sole_write(phi);
    if (!write) {
      Reference target;
      printer_.find(phi, target);
      out.assign(expression_of(target), "=", printer_.operand(value, phi));
      return;
    }
    written_.insert(write);
    const auto* read = llvm::dyn_cast<llvm::CallInst>(&value);
    const bool keeps = read && is_operation(*read, Operation::kReadRegister) &&
                       leaf_of(*read) == leaf_of(*write) &&
                       constant_argument(*read, 1) == constant_argument(*write, 1);
    if (keeps) return;
    const ExpressionBuilder::Use here = printer_.at(write);
    out.assign(expression_of(register_of(*write)),
               "<=", printer_.operand(value, &context_.state[leaf_of(*write)]));
  }

  /// A join's value on every path from `block`, if it can be printed there; else null.
  const llvm::Value* value_of_all(const llvm::PHINode& phi, const llvm::BasicBlock* block) const {
    const llvm::Value* value = flow_.value_of_all(phi, block);
    const auto* known = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    if (!known) return value;
    Reference reference;
    const bool is_written = printer_.find(*known, reference) &&
                            !is_operation(*known, {Operation::kLoad, Operation::kPipelineOutput});
    return is_written ? value : nullptr;
  }

  llvm::BasicBlock* emit_if(llvm::BasicBlock* block, const llvm::BranchInst& branch,
                            sv::Statements& out) {
    llvm::BasicBlock* join = flow_.join_of(block);
    std::vector<const llvm::PHINode*> settled;
    for (llvm::PHINode& phi : join->phis()) {
      Reference known;
      if (context_.combinational.count(&phi) != 0 || settled_.count(&phi) != 0) continue;
      if (!sole_write(phi) && !printer_.find(phi, known)) define(phi, out, {});
      const llvm::Value* value = value_of_all(phi, block);
      if (!value) continue;
      settle(phi, *value, out);
      settled_.insert(&phi);
      settled.push_back(&phi);
    }
    sv::Statements first;
    sv::Statements second;
    arm(block, branch.getSuccessor(0), join, first);
    arm(block, branch.getSuccessor(1), join, second);
    const ExpressionBuilder::Use here = printer_.at(&branch);
    const sv::Expression condition = printer_.operand(*branch.getCondition());
    if (!first.empty()) {
      out.branch(condition, std::move(first), std::move(second));
    } else if (!second.empty()) {
      out.branch(sv::unary("!", condition), std::move(second));
    }
    for (const llvm::PHINode* phi : settled) settled_.erase(phi);
    return join;
  }

  void arm(llvm::BasicBlock* from, llvm::BasicBlock* to, llvm::BasicBlock* join,
           sv::Statements& out) {
    leave(from, to, out);
    if (to == join) return;
    std::map<int, std::vector<ElementWrite>> outer;
    std::vector<const llvm::Value*> outer_local;
    std::swap(registers_, outer);
    std::swap(local_, outer_local);
    context_.temporaries.open();
    region(to, join, out);
    write_registers(out);
    context_.temporaries.close();
    // A block reached from two arms is printed in both, each with its own variables.
    for (const llvm::Value* value : local_) printer_.forget(*value);
    std::swap(local_, outer_local);
    std::swap(registers_, outer);
  }

  void emit_loop(const CountedLoop& loop, sv::Statements& out) {
    const std::string here = short_position(loop.header->front().getDebugLoc());
    const std::string where =
        here.empty() ? short_position(loop.latch->getTerminator()->getDebugLoc()) : here;
    reads_first_ = PipelineClocks::clocks(loop);
    const std::string variable = reads_first_ ? "lane" : loop_variable();
    printer_.name_counter(*loop.variable, variable);
    printer_.name_counter(
        *loop.variable->getIncomingValueForBlock(loop.latch),
        sv::binary(variable, loop.step < 0 ? "-" : "+", sv::plain_number(std::abs(loop.step))));
    const std::string head = head_of(loop, variable);
    if (!where.empty()) out.line("// " + where);
    clocks_.write_late_stages(loop, head, variable, out);
    sv::Statements body;
    inside_.insert(loop.header);
    ++depth_;
    region(loop.header, nullptr, body);
    --depth_;
    reads_first_ = false;
    inside_.erase(loop.header);
    out.block(head, body, fmt::format("loop_{}", ++loops_));
  }

  std::string loop_variable() const { return std::string(1, static_cast<char>('i' + depth_)); }

  // ---- Statements ----

  void statement(llvm::Instruction& instruction, sv::Statements& out) {
    if (instruction.isTerminator() || llvm::isa<llvm::DbgInfoIntrinsic>(instruction) ||
        llvm::isa<llvm::PHINode>(instruction) || context_.combinational.count(&instruction) != 0) {
      return;
    }
    if (is_operation(instruction, Operation::kStore)) {
      const auto& call = llvm::cast<llvm::CallInst>(instruction);
      const ExpressionBuilder::Use here = printer_.at(&call);
      out.assign(array_element(call), "=",
                 printer_.operand(*call.getArgOperand(2), &context_.state[leaf_of(call)]));
    } else if (is_operation(instruction, Operation::kPipelineClock)) {
      clocks_.write(llvm::cast<llvm::CallInst>(instruction), !inside_.empty(), out);
    } else if (is_operation(instruction, Operation::kWriteRegister)) {
      if (written_.count(&instruction) != 0) return;
      const int leaf = leaf_of(instruction);
      registers_[leaf].push_back({constant_argument(instruction, 1), instruction.getOperand(2),
                                  &context_.state[leaf], &instruction});
    } else if (is_operation(instruction, {Operation::kLoad, Operation::kPipelineOutput})) {
      if (instruction.use_empty()) return;
      if (stays_valid(instruction) && !reads_first_) return;
      Reference reference;
      look_up(instruction, reference);
      if (const llvm::CallInst* write = only_written(instruction)) {
        written_.insert(write);
        out.assign(expression_of(register_of(*write)), "<=", expression_of(reference));
      } else {
        define(instruction, out, expression_of(reference));
      }
    } else if (!is_any_operation(instruction) && !is_loop_counting(instruction)) {
      if (instruction.use_empty()) return;
      if (is_index_only(instruction)) return;
      if (is_defined(instruction)) define_what_is_read(instruction, out);
    }
  }

  /// Whether the value gets a variable: for readability, or because something it reads is written
  /// before its use.
  bool is_defined(llvm::Instruction& instruction) const {
    if (!stays_the_same(instruction)) return true;
    const auto text = [&] { return printer_.expression(instruction); };
    return (deserves_signal(instruction) && !is_brief(instruction, text)) ||
           is_named_range(instruction, text);
  }

  /// Whether the value's text still means the same at its use.
  bool stays_the_same(const llvm::Instruction& instruction) const {
    if (is_used_at_once(instruction)) return true;
    ChangingReads reads;
    find_reads(instruction, reads);
    if (inside_.empty() && reads.empty()) return true;
    return !reads_first_ && holds_until_used(instruction, reads);
  }

  /// The arrays and pipelines that the value's text reads; they change within the edge.
  void find_reads(const llvm::Instruction& instruction, ChangingReads& reads) const {
    for (const llvm::Value* operand : instruction.operands()) {
      const auto* read = llvm::dyn_cast<llvm::Instruction>(operand);
      Reference known;
      if (!read || context_.combinational.count(read) != 0) continue;
      if (is_operation(*read, Operation::kLoad)) {
        reads.arrays.insert(leaf_of(*read));
      } else if (is_operation(*read, Operation::kPipelineOutput)) {
        reads.pipelines.insert(leaf_of(*read));
      } else if (!printer_.find(*read, known)) {
        find_reads(*read, reads);
      }
    }
  }

  /// The register write that is the value's only use: it may move to the value's read, since `<=`
  /// takes effect at the end of the edge.
  const llvm::CallInst* only_written(const llvm::Instruction& value) const {
    const llvm::CallInst* write = only_write(value);
    return write && flow_.always_runs(write->getParent()) ? write : nullptr;
  }

  Reference register_of(const llvm::CallInst& write) const {
    return element_of(context_.register_names.at(leaf_of(write)), context_.state[leaf_of(write)],
                      constant_argument(write, 1));
  }

  /// The loop's step and test, which are in its head.
  bool is_loop_counting(const llvm::Instruction& instruction) const {
    for (const llvm::BasicBlock* header : inside_) {
      const CountedLoop* loop = flow_.loop_at(header);
      if (loop->variable->getIncomingValueForBlock(loop->latch) == &instruction) return true;
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop->latch->getTerminator());
      if (branch && branch->isConditional() && branch->getCondition() == &instruction) return true;
    }
    return false;
  }

  /// Whether only loop variables and constants enter: printed inside the brackets.
  bool is_index_only(const llvm::Instruction& instruction) const {
    for (const llvm::Value* operand : instruction.operands()) {
      if (llvm::isa<llvm::Constant>(operand)) continue;
      const auto* source = llvm::dyn_cast<llvm::Instruction>(operand);
      if (!source) return false;
      const bool counts =
          std::any_of(inside_.begin(), inside_.end(), [&](const llvm::BasicBlock* header) {
            const CountedLoop* loop = flow_.loop_at(header);
            return loop->variable == source ||
                   loop->variable->getIncomingValueForBlock(loop->latch) == source;
          });
      if (!counts && (llvm::isa<llvm::PHINode>(source) || is_any_operation(*source) ||
                      !is_index_only(*source))) {
        return false;
      }
    }
    return true;
  }

  void write_registers(sv::Statements& out) const {
    for (const auto& [leaf, writes] : registers_) {
      const Leaf& one = context_.state[leaf];
      for (const VectorWrite& write : write_vector(context_.register_names.at(leaf), one.width,
                                                   one.elements(), writes, printer_)) {
        out.assign(write.target, "<=", write.value);
      }
    }
  }

  llvm::Function& function_;
  const ControlFlow& flow_;
  const ProcessContext& context_;
  ExpressionBuilder printer_;
  PipelineClocks clocks_;
  std::set<const llvm::BasicBlock*> inside_;
  std::map<const llvm::BasicBlock*, int> copies_;
  const llvm::Instruction* last_branch_ = nullptr;
  std::map<int, std::vector<ElementWrite>> registers_;
  std::set<const llvm::Instruction*> written_;  ///< register writes already printed
  int depth_ = 0;
  std::set<const llvm::PHINode*> settled_;  ///< joins assigned before the branch
  std::vector<const llvm::Value*> local_;   ///< the innermost block's values with variables
  bool reads_first_ = false;  ///< in a loop over lanes every read gets a variable (PipelineText)
  int loops_ = 0;
};

}  // namespace

sv::Statements emit_process(llvm::Function& function, const ControlFlow& flow,
                            const ProcessContext& context) {
  return ProcessEmitter(function, flow, context).run();
}

}  // namespace systole::compiler
