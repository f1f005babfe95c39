#pragma once

#include <map>
#include <vector>

#include "host/graph/cpu/offload.h"
#include "host/nn/products/operand_store.h"
#include "host/nn/products/product.h"
#include "host/nn/products/product_matches.h"

namespace systole::nn {

/// How many values of patches there may be on the device.
struct PatchMemory {
  std::int64_t slab_values = std::int64_t{1} << 23;  ///< in one product; at least one image's
  /// From forward to backward of a step; a batch that has more makes them twice.
  std::int64_t kept_values = std::int64_t{1} << 26;
};

/// The dot_generals and convolutions of a graph as products of a device. The bias that is added to
/// a product, its ReLU, the mask of its gradient and the sums over a gradient's columns go with it;
/// a result that only products read stays on the device, and so do weights and patches.
///
/// Timing   gradients that nothing but the graph's outputs need wait, and run with later products
/// Numbers  see Multiplier. A bias's gradient sums up what the product takes, which is rounded to
///          the precision; gradients are rounded at random in int8. dW of several slabs of images
///          is added in fp32, ascending
class DeviceProducts : public graph::Offload {
 public:
  /// The multiplier outlives it.
  explicit DeviceProducts(Multiplier& multiplier, const PatchMemory& memory = {})
      : multiplier_(multiplier), memory_(memory) {}

  std::vector<Part> take(const graph::Graph& graph) override;
  void begin(std::span<const std::uint64_t> input_versions) override;
  void end() override;

 private:
  using Range = OperandRange;
  struct Loaded {
    Operand operand;
    std::uint64_t run = 0, version = 0;  ///< that it was loaded in
  };
  /// An operand of the store's, until nobody needs its values any more in this run.
  struct Lent {
    std::int64_t size = 0;
    std::size_t place = 0;
  };

  void run(const MatrixMatch& match, graph::Pointers pointers);
  void run_forward(const ImageMatch& match, graph::Pointers pointers);
  void run_backward(const ImageMatch& match, graph::Pointers pointers);
  void add_slab(const Range& slab, std::span<const float> part, std::span<float> sum) const;

  bool is_current(int value, Loaded& loaded) const;
  template <typename Load>
  const Operand& loaded(int value, const Range& range, std::int64_t size, const Load& load);
  void give_back(bool all);
  GradientBuffers& gradient(int value);
  const Operand& operand(graph::Pointers pointers, int value, const Range& range);
  const Operand& operand(graph::Pointers pointers, int value) {
    return operand(pointers, value, Range{});
  }
  const Operand* bias(graph::Pointers pointers, int value);
  const Operand& patches(const ImageMatch& match, graph::Pointers pointers, const Range& slab);
  std::vector<Range> slabs(const graph::Images& images) const;
  bool is_gradient(int value) const;

  Multiplier& multiplier_;
  PatchMemory memory_;
  const graph::Graph* graph_ = nullptr;
  ProductMatches matches_;
  std::vector<std::uint64_t> versions_;         ///< by value; 0: not known
  std::vector<bool> stays_;                     ///< by value
  std::vector<int> uses_, left_;                ///< by value: products that read it, in a run
  std::map<std::pair<int, Range>, Lent> lent_;  ///< by value
  std::map<int, Operand> results_;              ///< that stay, by value
  std::map<int, std::size_t> gradients_;        ///< in the store, by value
  std::map<std::pair<int, Range>, Loaded> patches_;
  std::uint64_t run_ = 0;
  std::vector<float> staging_, slab_weight_, slab_bias_;
  std::vector<std::uint16_t> rounded_, words_;
};

}  // namespace systole::nn
