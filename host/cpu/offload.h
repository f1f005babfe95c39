#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/cpu/kernel.h"

namespace systole::graph {

/// Runs parts of a graph elsewhere than on the processor, such as products on a device.
///
/// Limits   a part's `reads` come before the first of its `writes` in the graph. Operations whose
///          results only parts needed are skipped, such as a bias that the device adds
class Offload {
 public:
  struct Part {
    Kernel kernel;
    double order = 0;  ///< runs like the operation of this number, as far as its operands allow
  };

  virtual ~Offload() = default;

  /// The graph must outlive the parts.
  virtual std::vector<Part> take(const Graph& graph) = 0;

  /// Called before the kernels of a run. An input with a version other than 0 has the same values
  /// as before under that version.
  virtual void begin(std::span<const std::uint64_t> input_versions) = 0;
  /// Called after them; delivers results that parts still owe.
  virtual void end() = 0;
};

}  // namespace systole::graph
