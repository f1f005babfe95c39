#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/graph/cpu/program.h"

namespace systole::lowering {

/// The scalars of a step that follow from numbers which the host knows ahead: learning rate, step.
///
/// Numbers  as on the processor, in fp32 (graph::CpuProgram)
class Table {
 public:
  /// `scalars`: values of the graph.
  Table(const graph::Graph& graph, const std::vector<int>& scalars);

  /// The scalars' words, in order, for these inputs of the graph.
  ///
  /// Errors   graph::GraphError if one is missing
  std::vector<std::uint32_t> words(const std::map<std::string, double>& inputs);

 private:
  std::unique_ptr<graph::Graph> graph_;
  std::unique_ptr<graph::CpuProgram> program_;  ///< null where there are none
  std::size_t count_;
};

}  // namespace systole::lowering
