#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hls/compiler/emit/expression.h"
#include "hls/compiler/emit/loops.h"
#include "hls/compiler/emit/pipeline.h"
#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

/// A process's view of the module around it.
struct ProcessContext {
  const std::vector<Leaf>& state;
  const std::map<int, std::string>& register_names;  ///< state leaf -> its signal
  std::map<int, PipelineText>& pipelines;
  const ExpressionBuilder& outside;  ///< prints values computed outside the process
  const std::set<const llvm::Value*>& combinational;  ///< values computed outside
  std::map<const llvm::Value*, NameChoices>& names;   ///< names of temporaries
  Temporaries& temporaries;
  const EnumTypes& enums;
  const StructViews& views;
  Tables& tables;
};

/// The statements of an always_ff for a lowered clock() or reset(), in its order: arrays of
/// registers are assigned with `=`, consumers before producers; single registers with `<=`. Loops
/// stay loops; a loop that clocks pipelines becomes one loop per stage, last stage first.
///
/// Errors   Refusal for a loop that clocks a pipeline and also writes registers, or reads the
///          pipeline's outputs
sv::Statements emit_process(llvm::Function& function, const ControlFlow& flow,
                            const ProcessContext& context);

}  // namespace systole::compiler
