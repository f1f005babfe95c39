#include "hls/compiler/emit/pipeline_clocks.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "hls/compiler/analyses/wiring.h"
#include "hls/compiler/ir/operations.h"
#include "hls/compiler/support/diagnostic.h"

namespace systole::compiler {

bool PipelineClocks::clocks(const CountedLoop& loop) {
  return std::any_of(loop.header->begin(), loop.header->end(), [](const auto& instruction) {
    return is_operation(instruction, Operation::kPipelineClock);
  });
}

sv::Expression PipelineClocks::lane_of(const llvm::CallInst& clock) const {
  return printer_.index(*clock.getArgOperand(1), context_.state[leaf_of(clock)].elements());
}

/// A stage's content, and its label.
static std::pair<sv::Statements, std::string> stage_of(const PipelineText& pipeline, int stage,
                                                       const sv::Expression& lane,
                                                       const std::vector<Reference>& arguments,
                                                       Temporaries& temporaries) {
  return {pipeline.stage(stage, lane, arguments, temporaries),
          fmt::format("{}_stage_{}", pipeline.base_name(), stage)};
}

void PipelineClocks::write_late_stages(const CountedLoop& loop, const std::string& head,
                                       const std::string& lane, sv::Statements& out) const {
  for (const llvm::Instruction& instruction : *loop.header) {
    if (!is_operation(instruction, Operation::kPipelineClock)) continue;
    check(llvm::cast<llvm::CallInst>(instruction), loop, lane);
    const PipelineText& pipeline = context_.pipelines.at(leaf_of(instruction));
    for (int stage = pipeline.stages() - 1; stage > 0; --stage) {
      auto [content, label] = stage_of(pipeline, stage, lane, {}, context_.temporaries);
      out.block(head, std::move(content), label);
    }
  }
}

void PipelineClocks::check(const llvm::CallInst& clock, const CountedLoop& loop,
                           const std::string& lane) const {
  if (loop.header != loop.latch || lane_of(clock) != sv::Expression(lane)) {
    refuse(clock,
           "a loop that clocks pipelines clocks each lane once: element i in iteration i, without "
           "conditions");
  }
  for (const llvm::Instruction& instruction : *loop.header) {
    if (is_operation(instruction, Operation::kStore)) {
      refuse(clock,
             "a loop that clocks pipelines writes no registers; write them in a loop of their own");
    }
    if (is_operation(instruction, Operation::kPipelineOutput) &&
        leaf_of(instruction) == leaf_of(clock)) {
      refuse(clock, "read the pipelines' outputs in a loop before the one that clocks them");
    }
  }
}

void PipelineClocks::write(const llvm::CallInst& clock, bool in_loop, sv::Statements& out) const {
  const PipelineText& pipeline = context_.pipelines.at(leaf_of(clock));
  if (pipeline.is_array() && !in_loop) {
    refuse(clock, "clock every lane of an array of pipelines in one loop over all of them");
  }
  for (int stage = pipeline.stages() - 1; stage > 0 && !pipeline.is_array(); --stage) {
    auto [content, label] = stage_of(pipeline, stage, {}, {}, context_.temporaries);
    out.branch(moves(clock, stage), std::move(content), {}, label);
  }
  std::vector<Reference> arguments;
  constexpr unsigned kFirst = 3;
  for (unsigned i = kFirst; i < clock.arg_size(); ++i) {
    const llvm::Value& value = *clock.getArgOperand(i);
    Reference reference;
    if (!printer_.find(value, reference) && pipeline.reads(i - kFirst)) {
      const unsigned width = width_of(value);
      const std::string name = declare_({pipeline.argument_name(i - kFirst)}, width, out);
      out.assign(name, "=", printer_.operand(value));
      reference = {name, 0, width, width};
    }
    arguments.push_back(reference);
  }
  auto [content, label] =
      stage_of(pipeline, 0, pipeline.is_array() ? lane_of(clock) : sv::Expression(), arguments,
               context_.temporaries);
  out.branch(moves(clock, 0), std::move(content), {}, label);
}

/// Whether the stage moves; none if it always does.
sv::Expression PipelineClocks::moves(const llvm::CallInst& clock, int stage) const {
  const llvm::Value& moves = *clock.getArgOperand(2);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(&moves);
  const auto bit = static_cast<unsigned>(stage);
  if (constant && constant->getValue()[bit]) return {};
  return printer_.slice(moves, bit, bit);
}

}  // namespace systole::compiler
