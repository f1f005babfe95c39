#pragma once

#include <map>
#include <vector>

#include "host/compiler/units/product_matches.h"
#include "host/cpu/offload.h"
#include "host/nn/products/operand_store.h"
#include "host/nn/products/product.h"

namespace systole::nn {

/// Limits of convolution patches on the device, in values.
struct PatchMemory {
  std::int64_t slab_values = std::int64_t{1} << 23;  ///< in one product, but at least one image's
  /// Kept from forward to backward pass; a batch with more makes its patches twice.
  std::int64_t kept_values = std::int64_t{1} << 26;
};

/// Runs a graph's dot_generals and convolutions as products of a device. A product takes along its
/// bias, its ReLU, its gradient's mask and the sums over a gradient's columns. Results that only
/// products read stay on the device, and so do weights and patches.
///
/// Timing   gradients that only the graph's outputs need wait, and run with later products
/// Numbers  see Multiplier. A bias's gradient sums the product's operand, already rounded to the
///          precision; int8 rounds gradients stochastically. dW of several slabs of images is added
///          in fp32, ascending
class DeviceProducts : public graph::Offload {
 public:
  /// The multiplier must outlive it.
  explicit DeviceProducts(Multiplier& multiplier, const PatchMemory& memory = {})
      : multiplier_(multiplier), memory_(memory) {}

  std::vector<Part> take(const graph::Graph& graph) override;
  void begin(std::span<const std::uint64_t> input_versions) override;
  void end() override;

 private:
  using Range = OperandRange;
  struct Loaded {
    Operand operand;
    std::uint64_t run = 0, version = 0;  ///< in which it was loaded
  };
  /// An operand lent by the store until its last use in this run.
  struct Lent {
    std::int64_t size = 0;
    std::size_t place = 0;
  };

  void run(const lowering::MatrixMatch& match, graph::Pointers pointers);
  void run_batches(const lowering::MatrixMatch& match, graph::Pointers pointers);
  void run_forward(const lowering::ImageMatch& match, graph::Pointers pointers);
  void run_backward(const lowering::ImageMatch& match, graph::Pointers pointers);
  void add_slab(const Range& slab, std::span<const float> part, std::span<float> sum) const;

  bool is_current(int value, Loaded& loaded) const;
  template <typename Load>
  const Operand& loaded(int value, const Range& range, std::int64_t size, const Load& load);
  void give_back(bool all);
  GradientBuffers& gradient(int value, std::int64_t batch = 0);
  const Operand& operand(graph::Pointers pointers, int value, const Range& range);
  const Operand& operand(graph::Pointers pointers, int value) {
    return operand(pointers, value, Range{});
  }
  const Operand* bias(graph::Pointers pointers, int value);
  const Operand& patches(const lowering::ImageMatch& match, graph::Pointers pointers,
                         const Range& slab);
  std::vector<Range> slabs(const graph::Images& images) const;
  bool is_gradient(int value) const;

  Multiplier& multiplier_;
  PatchMemory memory_;
  const graph::Graph* graph_ = nullptr;
  lowering::ProductMatches matches_;
  std::vector<std::uint64_t> versions_;         ///< by value; 0: unknown
  std::vector<bool> stays_;                     ///< by value
  std::vector<int> uses_, left_;                ///< by value: the products that read it in a run
  std::map<std::pair<int, Range>, Lent> lent_;  ///< by value
  std::map<int, Operand> results_;              ///< that stay, by value
  /// In the store, by value and batch.
  std::map<std::pair<int, std::int64_t>, std::size_t> gradients_;
  std::map<std::pair<int, Range>, Loaded> patches_;
  std::uint64_t run_ = 0;
  std::vector<float> staging_, slab_weight_, slab_bias_;
  std::vector<std::uint16_t> rounded_;
};

}  // namespace systole::nn
