#include "hls/compiler/loops/lower_axi.h"

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include <map>
#include <set>
#include <vector>

#include "hls/compiler/ir/operations.h"
#include "hls/compiler/loops/kernel_analyses.h"
#include "hls/compiler/support/diagnostic.h"
#include "hls/compiler/support/source.h"

namespace systole::compiler {
namespace {

using llvm::CallInst;
using llvm::Value;

/// How an access meets memory.
struct Plan {
  CallInst* access = nullptr;
  const llvm::Loop* loop = nullptr;   ///< innermost around it, or null
  const llvm::SCEV* start = nullptr;  ///< of a run: its first element,
  const llvm::SCEV* count = nullptr;  ///< and how many; null for single elements
  std::string why = "";               ///< single

  bool is_read() const { return is_operation(*access, Operation::kMemoryRead); }
  bool is_run() const { return count != nullptr; }
};

void make_preheaders(llvm::Function& function) {
  llvm::DominatorTree dominators(function);
  llvm::LoopInfo loops(dominators);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    if (loop->isInnermost() && !loop->getLoopPreheader()) {
      llvm::InsertPreheaderForLoop(loop, &dominators, &loops, nullptr, false);
    }
  }
}

class AxiLowering {
 public:
  explicit AxiLowering(LoweredKernel& kernel)
      : kernel_(kernel),
        function_(*kernel.body),
        dominators_(function_),
        analyses_(function_),
        expander_(analyses_.evolution(), function_.getParent()->getDataLayout(), "axi") {}

  void run() {
    for (int memory = 0; memory < static_cast<int>(kernel_.memories.size()); ++memory) {
      if (kernel_.memories[static_cast<std::size_t>(memory)].axi) plan(memory);
    }
    for (auto& [memory, plans] : plans_) add_streams(memory, plans);
    for (auto& [memory, plans] : plans_) {
      for (Plan& one : plans) one.is_run() ? lower_run(memory, one) : lower_single(memory, one);
    }
    for (llvm::BasicBlock& block : function_) {
      if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
      llvm::IRBuilder<> builder(block.getTerminator());
      for (const auto& [memory, streams] : streams_) wait_for_writes(builder, streams);
    }
  }

 private:
  /// The streams of an array's engines, -1 for none.
  struct Streams {
    int reader_run = -1;
    int reader_element = -1;
    int writer_run = -1;
    int writer_element = -1;
    int writer_idle = -1;
  };

  // ---- What can be a run ----

  void plan(int memory) {
    std::vector<Plan>& plans = plans_[memory];
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      if (is_operation(instruction, {Operation::kMemoryRead, Operation::kMemoryWrite}) &&
          leaf_of(instruction) == memory) {
        plans.push_back({.access = llvm::cast<CallInst>(&instruction)});
        find_run(plans.back());
      }
    }
    std::map<const llvm::Loop*, std::vector<Plan*>> by_loop;
    for (Plan& one : plans) {
      if (one.loop) by_loop[one.loop].push_back(&one);
    }
    for (auto& [loop, all] : by_loop) keep_apart(all);
  }

  void find_run(Plan& plan) {
    llvm::ScalarEvolution& evolution = analyses_.evolution();
    const llvm::BasicBlock* block = plan.access->getParent();
    const llvm::Loop* loop = analyses_.loops().getLoopFor(block);
    if (!loop || !loop->isInnermost()) {
      plan.why = "it is in no innermost loop";
      return;
    }
    plan.loop = loop;
    const llvm::BasicBlock* latch = loop->getLoopLatch();
    const llvm::BasicBlock* exiting = loop->getExitingBlock();
    const bool ends_at_latch = exiting && exiting == latch;
    const bool ends_at_header = exiting && exiting == loop->getHeader() && block != exiting;
    const llvm::SCEV* again = evolution.getBackedgeTakenCount(loop);
    if ((!ends_at_latch && !ends_at_header) || llvm::isa<llvm::SCEVCouldNotCompute>(again)) {
      plan.why = "the loop's length is not known before it starts";
      return;
    }
    if (!dominators_.dominates(block, latch)) {
      plan.why = "it is under a condition";
      return;
    }
    const auto* line =
        llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(plan.access->getArgOperand(1)));
    if (!line || line->getLoop() != loop || !line->isAffine() ||
        !line->getStepRecurrence(evolution)->isOne()) {
      plan.why = "it does not go from each element to the next";
      return;
    }
    llvm::Type* type = llvm::Type::getIntNTy(function_.getContext(), kAxiCountBits);
    const llvm::SCEV* count = evolution.getTruncateOrZeroExtend(again, type);
    if (ends_at_latch) count = evolution.getAddExpr(count, evolution.getOne(type));
    const llvm::Instruction* place = loop->getLoopPreheader()->getTerminator();
    if (!expander_.isSafeToExpandAt(count, place) ||
        !expander_.isSafeToExpandAt(line->getStart(), place)) {
      plan.why = "the loop's length is not known before it starts";
      return;
    }
    plan.start = line->getStart();
    plan.count = count;
  }

  /// One engine serves an array's reads, in order, and reads ahead of what a loop writes: runs of
  /// one array share a loop only where each element is read and then written.
  void keep_apart(const std::vector<Plan*>& all) const {
    std::vector<Plan*> reads, writes;
    for (Plan* one : all) (one->is_read() ? reads : writes).push_back(one);
    bool apart = reads.size() <= 1 && writes.size() <= 1;
    std::string why = "the loop has several accesses of the array";
    if (apart && reads.size() == 1 && writes.size() == 1) {
      apart = reads[0]->is_run() && writes[0]->is_run() && reads[0]->start == writes[0]->start &&
              dominators_.dominates(reads[0]->access, writes[0]->access);
      why = "the loop reads and writes the array at different elements";
    }
    if (apart) return;
    for (Plan* one : all) {
      one->count = nullptr;
      if (one->why.empty()) one->why = why;
    }
  }

  // ---- Streams ----

  int add_stream(int memory, StreamRole role, unsigned width, bool is_input) {
    Leaf leaf = kernel_.memories[static_cast<std::size_t>(memory)].word;
    leaf.dimensions.clear();
    leaf.width = width;
    kernel_.streams.push_back(
        {.element = leaf, .is_used = true, .is_input = is_input, .role = role, .memory = memory});
    return static_cast<int>(kernel_.streams.size()) - 1;
  }

  // An array's ports have its name and AXI's.
  void check_names(const KernelMemory& array) const {
    static const std::set<std::string> kPorts = {
        "address", "arvalid", "arready", "araddr",  "arlen",  "arsize",  "arburst", "arcache",
        "arprot",  "rvalid",  "rready",  "rdata",   "rresp",  "awvalid", "awready", "awaddr",
        "awlen",   "awsize",  "awburst", "awcache", "awprot", "wvalid",  "wready",  "wdata",
        "wstrb",   "wlast",   "bvalid",  "bready",  "bresp"};
    const std::string start = array.word.name + "_";
    for (const std::string& other : kernel_.parameters) {
      const bool is_port =
          other.starts_with(start) && kPorts.count(other.substr(start.size())) != 0;
      if (other != "error" && !is_port) continue;
      throw Refusal(fmt::format("{}: '{}' would have the name of a port of '{}'; rename it",
                                array.word.position, other, array.word.name));
    }
  }

  void add_streams(int memory, const std::vector<Plan>& plans) {
    if (plans.empty()) return;
    const KernelMemory& array = kernel_.memories[static_cast<std::size_t>(memory)];
    check_names(array);
    Streams& streams = streams_[memory];
    constexpr unsigned kRunBits = kAxiAddressBits + kAxiCountBits;
    for (const Plan& one : plans) {
      if (one.is_read() && streams.reader_run < 0) {
        streams.reader_run = add_stream(memory, StreamRole::kReaderRun, kRunBits, false);
        streams.reader_element =
            add_stream(memory, StreamRole::kReaderElement, array.word.width, true);
      }
      if (!one.is_read() && streams.writer_run < 0) {
        streams.writer_run = add_stream(memory, StreamRole::kWriterRun, kRunBits, false);
        streams.writer_element =
            add_stream(memory, StreamRole::kWriterElement, array.word.width, false);
        streams.writer_idle = add_stream(memory, StreamRole::kWriterIdle, 1, true);
      }
      const std::string where = short_position(one.access->getDebugLoc());
      kernel_.axi_notes.push_back(fmt::format(
          "{} is {} at {}{}{}", array.word.name, one.is_read() ? "read" : "written", where,
          one.is_run() ? " in bursts" : " one by one: ", one.is_run() ? "" : one.why));
    }
    base_[memory] = static_cast<int>(kernel_.inputs.size());
    Leaf address;
    address.name = array.word.name + "_address";
    address.width = kAxiAddressBits;
    address.size_bytes = 8;
    kernel_.inputs.push_back(address);
  }

  // ---- Operations ----

  void push(llvm::IRBuilder<>& builder, int stream, Value* value) {
    emit_operation(builder, Operation::kStreamPush, nullptr,
                   {builder.getInt32(static_cast<unsigned>(stream)), value, builder.getTrue()});
  }
  Value* pop(llvm::IRBuilder<>& builder, int stream) {
    const unsigned width = kernel_.streams[static_cast<std::size_t>(stream)].element.width;
    return emit_operation(builder, Operation::kStreamPop, builder.getIntNTy(width),
                          {builder.getInt32(static_cast<unsigned>(stream)), builder.getTrue()});
  }

  void wait_for_writes(llvm::IRBuilder<>& builder, const Streams& streams) {
    if (streams.writer_idle >= 0) pop(builder, streams.writer_idle);
  }

  /// Asks an engine for `count` elements from `first` on.
  void ask(llvm::IRBuilder<>& builder, int memory, bool reads, Value* first, Value* count) {
    const Streams& streams = streams_.at(memory);
    const AxiShape& shape = *kernel_.memories[static_cast<std::size_t>(memory)].axi;
    if (reads) wait_for_writes(builder, streams);
    llvm::Type* bits = builder.getIntNTy(kAxiAddressBits);
    Value* base = emit_operation(
        builder, Operation::kReadPort, bits,
        {builder.getInt32(static_cast<unsigned>(base_.at(memory))), builder.getInt32(0)});
    Value* offset =
        builder.CreateMul(builder.CreateZExt(first, bits),
                          llvm::ConstantInt::get(bits, static_cast<unsigned>(shape.element_bytes)));
    llvm::Type* both = builder.getIntNTy(kAxiAddressBits + kAxiCountBits);
    Value* run =
        builder.CreateOr(builder.CreateZExt(builder.CreateAdd(base, offset), both),
                         builder.CreateShl(builder.CreateZExt(count, both), kAxiAddressBits));
    push(builder, reads ? streams.reader_run : streams.writer_run, run);
  }

  void transfer(int memory, const Plan& plan) {
    llvm::IRBuilder<> builder(plan.access);
    const Streams& streams = streams_.at(memory);
    if (plan.is_read()) {
      Value* value = pop(builder, streams.reader_element);
      value->takeName(plan.access);
      plan.access->replaceAllUsesWith(value);
    } else {
      push(builder, streams.writer_element, plan.access->getArgOperand(2));
    }
    plan.access->eraseFromParent();
  }

  void lower_run(int memory, const Plan& plan) {
    llvm::Instruction* place = plan.loop->getLoopPreheader()->getTerminator();
    Value* first = expander_.expandCodeFor(plan.start, plan.start->getType(), place);
    Value* count = expander_.expandCodeFor(plan.count, plan.count->getType(), place);
    llvm::IRBuilder<> builder(place);
    builder.SetCurrentDebugLocation(plan.access->getDebugLoc());
    ask(builder, memory, plan.is_read(), first, count);
    transfer(memory, plan);
  }

  void lower_single(int memory, const Plan& plan) {
    llvm::IRBuilder<> builder(plan.access);
    ask(builder, memory, plan.is_read(), plan.access->getArgOperand(1),
        builder.getIntN(kAxiCountBits, 1));
    transfer(memory, plan);
  }

  LoweredKernel& kernel_;
  llvm::Function& function_;
  llvm::DominatorTree dominators_;
  KernelAnalyses analyses_;
  llvm::SCEVExpander expander_;
  std::map<int, std::vector<Plan>> plans_;  ///< by memory
  std::map<int, Streams> streams_;
  std::map<int, int> base_;  ///< the input that has its address
};

}  // namespace

void lower_axi(LoweredKernel& kernel) {
  make_preheaders(*kernel.body);
  AxiLowering(kernel).run();
}

}  // namespace systole::compiler
