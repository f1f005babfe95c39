#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/cpu/kernel.h"

namespace systole::graph {

/// A graph compiled for this processor: elementwise operations fused into loops, products by Eigen,
/// convolutions by oneDNN, memory planned by liveness.
///
/// Shapes   inputs and outputs in the graph's order, row-major; every element takes four bytes: f32
///          and bf16 as float, i32 and i8 as int32, ui32 and i1 (0 or 1) as uint32
/// Limits   an output that updates an input may share its memory; no others may overlap. One thread
///          calls run at a time
/// Timing   construction costs about a step; run blocks, on `threads` threads
/// Numbers  fp32, bf16 rounded after each operation; the same bits on any number of threads
/// Errors   GraphError for a number of pointers that is not the graph's
class CpuProgram {
 public:
  /// Kernels that run operations of a graph elsewhere, such as products on a device: of the
  /// program's own graph, and of those of its loops, which outlive them.
  using Elsewhere = std::function<std::vector<Kernel>(const Graph& graph)>;

  CpuProgram(const Graph& graph, int threads, const Elsewhere& elsewhere = {});
  ~CpuProgram();
  CpuProgram(CpuProgram&&) noexcept;

  void run(std::span<const void* const> inputs, std::span<void* const> outputs);

  /// This processor's products so far, in loops too: count, multiply-adds and wall time.
  struct Products {
    std::uint64_t count = 0, macs = 0;
    double seconds = 0;
  };
  Products products() const;

  /// The products with multiply-adds that do not run elsewhere: "dot_general(tensor<2x3xi32>,
  /// ...)".
  std::vector<std::string> own_products() const;

  std::int64_t memory_bytes() const;  ///< between kernels, besides inputs, outputs and constants
  std::int64_t kernel_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systole::graph
