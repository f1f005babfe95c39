#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/nn/layers/projection.h"
#include "host/nn/numbers/tensor.h"

namespace systole::nn {

/// One step of a gated recurrent unit, for callers that make the input of a step from the state
/// before it:
///
///     z = sigmoid(p_z + h U_z + c_z)    r = sigmoid(p_r + h U_r + c_r)
///     g = tanh(p_g + r * (h U_g + c_g))                h' = z h + (1 - z) g
///
/// where p = x W + b is the input's part. This is Keras' reset_after=True: the reset gate comes
/// after the product, so that all of h U is one product of the device.
///
/// Shapes   h, h' [rows, units]; p [rows, 3 units] in the order z, r, g; live [rows]: where it is
///          0, the sentence is over and h' = h
/// Limits   start, then step for t = 0 to steps-1, then step_back from steps-1 to 0, then
///          find_gradients; rows are those of start
/// Numbers  products in the multiplier's precision, the rest in fp32 (see host/graph/functions.h)
/// Source   Cho et al., EMNLP 2014, with the reset gate as in Keras and cuDNN
class GruCell {
 public:
  GruCell(const std::string& name, std::int64_t units, Generator& generator);

  void start(std::int64_t steps, std::int64_t rows);
  void step(Multiplier& multiplier, std::int64_t t, std::span<const float> projected,
            std::span<const std::uint8_t> live, std::span<const float> before,
            std::span<float> after);

  /// Takes the gradient of h' and leaves that of h in its place; d_projected(t) is set.
  void step_back(Multiplier& multiplier, std::int64_t t, std::span<const std::uint8_t> live,
                 std::span<const float> before, std::span<float> d_state);

  /// dU and dc in one product, from the h of all steps [steps * rows, units].
  void find_gradients(Multiplier& multiplier, std::span<const float> before);

  std::span<const float> d_projected(std::int64_t t) const;  ///< of step t, [rows, 3 units]
  std::span<const float> d_projected() const { return d_projected_; }  ///< of all steps

  std::int64_t units() const { return units_; }
  std::span<Parameter> parameters() { return recurrent_.parameters(); }

 private:
  std::int64_t units_, rows_ = 0;
  Projection recurrent_;
  std::vector<float> recurrent_part_;             // h U + c of the step
  std::vector<float> gates_;                      // z, r, g and h U_g + c_g of all steps
  std::vector<float> d_projected_, d_recurrent_;  // of all steps
  std::vector<float> d_before_;
};

/// A gated recurrent unit over whole sequences, its inputs known from the start: their part of all
/// steps is one product.
///
/// Shapes   x [steps * rows, inputs] time-major; states [(steps + 1) * rows, units], the first
///          `rows` of which are the state before the first step, zero; live [steps * rows]
/// Numbers  as GruCell's; gradients by back-propagation through all steps
class Gru {
 public:
  Gru(const std::string& name, std::int64_t inputs, std::int64_t units, Generator& generator);

  void forward(Multiplier& multiplier, std::int64_t rows, std::span<const float> x,
               std::span<const std::uint8_t> live);

  /// d_states [steps * rows, units], of the states after each step; d_x as x.
  void backward(Multiplier& multiplier, std::span<const float> x,
                std::span<const std::uint8_t> live, std::span<const float> d_states,
                std::span<float> d_x);

  const Tensor& states() const { return states_; }
  std::vector<Parameter*> parameters();

 private:
  Projection kernel_;
  GruCell cell_;
  std::int64_t rows_ = 0;
  Tensor projected_, states_;
};

}  // namespace systole::nn
