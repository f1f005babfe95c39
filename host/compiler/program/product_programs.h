#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/compiler/program/product_program.h"
#include "host/cpu/kernel.h"

namespace systole::lowering {

/// Products and convolutions as compiled programs of one operation, for graphs whose other
/// operations run on the processor.
///
/// Of a batch of products each runs alone. Where the device cannot load a convolution's patches
/// (dilated kernels, other strides down than across, the gradient of images with strides), the host
/// lays them out, some images at a time, and adds the gradient of patches back.
///
/// Limits   the device is not `cpu`; it outlives the programs. One thread at a time
/// Timing   operations of one signature share a program, for as long as a kernel uses it
/// Numbers  docs/numerics.md section 9: operands are rounded to bf16, or in int8 have a scale each;
///          sums leave in fp32. Operands of i8 have exact sums in i32. dW of several parts of a
///          batch is added in fp32, ascending
class ProductPrograms {
 public:
  /// precision: of products of f32, kBf16 or kInt8
  ProductPrograms(const Device& device, DataType precision)
      : device_(device), precision_(precision) {}

  /// A kernel for each operation of the graph that the device can do.
  ///
  /// Errors   MemoryFull, DeviceError
  std::vector<graph::Kernel> kernels(const graph::Graph& graph);

  /// The program of an operation, which may be one that is known.
  ///
  /// Errors   as ProductProgram
  std::shared_ptr<ProductProgram> compile(const graph::Graph& operation);

  DataType precision() const { return precision_; }

 private:
  std::optional<graph::Kernel> kernel(const graph::Graph& graph, const graph::Operation& operation);

  Device device_;
  DataType precision_;
  std::map<std::string, std::weak_ptr<ProductProgram>> programs_;  ///< by their graphs' text
};

}  // namespace systole::lowering
