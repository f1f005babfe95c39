#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/cpu/program.h"
#include "host/graph/graph.h"
#include "host/nn/products/product.h"

namespace systole::nn {

/// A compiled graph with inputs and outputs by name. Products run on the device, the rest on this
/// processor; for fp32 on the cpu everything runs here.
///
/// Limits   read and write every name before run; their memory must outlive the run
class Program {
 public:
  /// The multiplier must outlive it; null: this processor alone, on `threads` threads.
  Program(const graph::Graph& graph, Multiplier* multiplier, int threads);

  void read(std::string_view input, const void* data);
  /// For values at a fixed address; an unchanged version means unchanged values.
  void read(std::string_view input, const std::vector<float>& values,
            const std::uint64_t* version = nullptr);
  void write(std::string_view output, void* data);
  void write(std::string_view output, std::vector<float>& values);

  /// Products that run here although there is a device for them.
  std::vector<std::string> fallbacks() const;

  /// Adds this processor's products to the multiplier's counters.
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
