#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/graph/cpu/program.h"
#include "host/nn/layers/builder.h"
#include "host/nn/products/product.h"

namespace systole::nn {

/// A graph made ready for a device, its inputs and outputs by name: products on the device, the
/// rest on this processor; all of it here for fp32 on the cpu.
///
/// Limits   read and write every name before run; what they were given outlives the run
class Program {
 public:
  /// The multiplier outlives it; null for this processor alone, on `threads` threads.
  Program(const graph::Graph& graph, Multiplier* multiplier, int threads);

  /// Of a builder's graph, once its outputs are known: reads its parameters, and writes those that
  /// layers update.
  Program(Builder& builder, Multiplier& multiplier);

  void read(std::string_view input, const void* data);
  /// Of values that keep their place; those of an equal version are the same.
  void read(std::string_view input, const std::vector<float>& values,
            const std::uint64_t* version = nullptr);
  void write(std::string_view output, void* data);
  void write(std::string_view output, std::vector<float>& values);

  /// Counts this processor's products at the multiplier.
  void run();

 private:
  struct Source {
    const void* data = nullptr;
    const std::vector<float>* values = nullptr;
    const std::uint64_t* version = nullptr;
  };
  struct Target {
    void* data = nullptr;
    std::vector<float>* values = nullptr;
  };

  Multiplier* multiplier_;
  std::vector<std::string> input_names_, output_names_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  graph::CpuProgram program_;
};

}  // namespace systole::nn
