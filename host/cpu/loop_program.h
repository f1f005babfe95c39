#pragma once

#include "host/cpu/program.h"
#include "host/graph/while_loop.h"

namespace systole::graph {

/// A loop whose end depends on data: its regions as programs, whose products run where those of the
/// graph around do.
class LoopProgram {
 public:
  /// An operation of while_kind.
  LoopProgram(const Operation& operation, int threads, const CpuProgram::Elsewhere& elsewhere);

  void run(const Graph& graph, const Operation& operation, Pointers pointers);

  const CpuProgram& condition() const { return condition_; }
  const CpuProgram& body() const { return body_; }

 private:
  WhileLoop loop_;
  CpuProgram condition_, body_;
};

}  // namespace systole::graph
