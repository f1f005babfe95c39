#pragma once

#include <functional>
#include <string>

#include "hls/compiler/emit/process.h"

namespace systole::compiler {

/// The statements of a process that clock its pipelines.
class PipelineClocks {
 public:
  /// Declares a variable for an argument without a signal, and returns its name.
  using Declare = std::function<std::string(const NameChoices&, unsigned width, sv::Statements&)>;

  PipelineClocks(const ProcessContext& context, const ExpressionBuilder& printer, Declare declare)
      : context_(context), printer_(printer), declare_(std::move(declare)) {}

  /// Whether the loop clocks an array of pipelines.
  static bool clocks(const CountedLoop& loop);

  /// The stages after the first of the pipelines that a loop clocks, the last one first; each is a
  /// loop of its own before that one. `head` counts with `lane`.
  ///
  /// Errors   Refusal for a loop that skips lanes, writes registers or reads the pipelines' outputs
  void write_late_stages(const CountedLoop& loop, const std::string& head, const std::string& lane,
                         sv::Statements& out) const;

  /// One kPipelineClock: the first stage, and all others before it of a lone pipeline.
  void write(const llvm::CallInst& clock, bool in_loop, sv::Statements& out) const;

 private:
  sv::Expression lane_of(const llvm::CallInst& clock) const;
  void check(const llvm::CallInst& clock, const CountedLoop& loop, const std::string& lane) const;
  sv::Expression moves(const llvm::CallInst& clock, int stage) const;

  const ProcessContext& context_;
  const ExpressionBuilder& printer_;
  Declare declare_;
};

}  // namespace systole::compiler
