#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/cpu/program.h"

namespace systole::lowering {

/// What a step needs that follows from host scalars, such as learning rate and step: scalars, and
/// tensors of random numbers.
///
/// Numbers  as on the processor, in fp32 (graph::CpuProgram)
class Table {
 public:
  using Words = std::vector<std::uint32_t>;

  /// `values`: of the graph.
  Table(const graph::Graph& graph, const std::vector<int>& values);

  /// The words of each value for these inputs of the graph. A predicate is all ones or zero.
  ///
  /// Errors   graph::GraphError if an input is missing
  std::vector<Words> fill(const std::map<std::string, double>& inputs) const;

 private:
  std::unique_ptr<graph::Graph> graph_;
  std::unique_ptr<graph::CpuProgram> program_;  ///< null where there are none
};

}  // namespace systole::lowering
