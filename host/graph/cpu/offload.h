#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/graph/cpu/kernel.h"

namespace systole::graph {

/// What runs parts of a graph elsewhere than on the processor, such as products on a device.
///
/// Limits   a part's `reads` come before the first of its `writes` in the graph. Operations that
///          nobody else needs then are not done at all: a bias that the device adds
class Offload {
 public:
  struct Part {
    Kernel kernel;
    double order = 0;  ///< where it runs, if its operands allow: as an operation of this number
  };

  virtual ~Offload() = default;

  /// The graph outlives the parts.
  virtual std::vector<Part> take(const Graph& graph) = 0;

  /// Before the kernels of a run. An input of a version that is not 0 has the values that it had
  /// with that version before.
  virtual void begin(std::span<const std::uint64_t> input_versions) = 0;
  /// After them: results that a part owes are there then.
  virtual void end() = 0;
};

}  // namespace systole::graph
