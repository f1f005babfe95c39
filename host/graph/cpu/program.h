#pragma once

#include <memory>

#include "host/graph/graph.h"

namespace systole::graph {

/// A graph made ready for this processor: elementwise operations fused into loops, products by
/// Eigen, memory planned by liveness.
///
/// Shapes   inputs and outputs in the graph's order, row-major; every element takes four bytes: f32
///          and bf16 as float, i32 and i8 as int32, ui32 and i1 (0 or 1) as uint32
/// Limits   an output that updates an input may lie where that input does; no others may overlap.
///          One thread calls run at a time
/// Timing   making it costs about a step; run blocks, on `threads` threads
/// Numbers  fp32, bf16 rounded after each operation; the same bits on any number of threads
/// Errors   GraphError for a number of pointers that is not the graph's
class CpuProgram {
 public:
  CpuProgram(const Graph& graph, int threads);
  ~CpuProgram();
  CpuProgram(CpuProgram&&) noexcept;

  void run(std::span<const void* const> inputs, std::span<void* const> outputs);

  std::int64_t memory_bytes() const;  ///< between kernels, besides inputs, outputs and constants
  std::int64_t kernel_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systole::graph
