#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "host/compiler/program/step_program.h"
#include "host/cpu/kernel.h"
#include "host/device/device.h"

namespace systole::lowering {

/// The graph of one product of matrices, `a` by `b`; its result is `y`.
std::unique_ptr<graph::Graph> product_of_matrices(const graph::DotForm& form,
                                                  graph::Element element);

/// An operation on `a` and `b` with the result `y`, as a compiled program of a device.
///
/// Units    elements take four bytes, as graph::CpuProgram's
/// Errors   GraphError for an operation that the device cannot do, MemoryFull; run: DeviceError
class ProductProgram {
 public:
  /// precision: of products of f32, kBf16 or kInt8
  ProductProgram(const graph::Graph& operation, const Device& device, DataType precision);

  void run(const void* a, const void* b, void* y);

  /// The same in its steps. `a` may come in bf16, which `fill` writes, where the device has it in
  /// no other form. The result, of f32, is valid until the next run.
  bool takes_rounded() const { return takes_rounded_; }
  void write_a(const void* values);
  void write_a(const StepProgram::FillRounded& fill) { program_.write_rounded("a", fill); }
  void write_b(const void* values);
  void run();
  void read(void* y) const;
  const float* result() { return program_.read_words("y", copy_); }

 private:
  Device device_;
  std::int64_t a_, b_, y_;  ///< elements
  StepProgram program_;
  bool takes_rounded_;
  std::vector<float> copy_;
};

}  // namespace systole::lowering
