#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/graph/cpu/program.h"

namespace systole::lowering {

/// What a step needs that follows from numbers which the host knows ahead, as learning rate and
/// step: scalars, and tensors of random numbers.
///
/// Numbers  as on the processor, in fp32 (graph::CpuProgram)
class Table {
 public:
  using Words = std::vector<std::uint32_t>;
  struct Filled {
    Words scalars;
    std::vector<Words> tensors;
  };

  /// `scalars` and `tensors`: values of the graph.
  Table(const graph::Graph& graph, const std::vector<int>& scalars,
        const std::vector<int>& tensors = {});

  /// The words of all scalars, and of each tensor, for these inputs of the graph. A predicate is
  /// all ones or zero.
  ///
  /// Errors   graph::GraphError if an input is missing
  Filled fill(const std::map<std::string, double>& inputs);

 private:
  std::unique_ptr<graph::Graph> graph_;
  std::unique_ptr<graph::CpuProgram> program_;  ///< null where there are none
  std::size_t scalars_;
};

}  // namespace systole::lowering
