#pragma once

#include <cstdint>
#include <string>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// One step of a gated recurrent unit; all steps of a graph share its weights:
///
///     z = sigmoid(p_z + h U_z + c_z)    r = sigmoid(p_r + h U_r + c_r)
///     g = tanh(p_g + r * (h U_g + c_g))                h' = z h + (1 - z) g
///
/// where p = x W + b is the input's part. This is Keras' reset_after=True: the reset gate follows
/// the product, so h U is one product of the device.
///
/// Shapes   h, h' [rows, units]; p [rows, 3 units] in the order z, r, g; live [rows], a predicate:
///          where it is false, the sequence has ended and h' = h
/// Limits   an empty h means zeros, an empty live means true everywhere
/// Source   Cho et al., EMNLP 2014, with the reset gate as in Keras and cuDNN
class GruCell {
 public:
  GruCell(Builder& builder, std::int64_t units);

  Value operator()(Value projected, Value state, Value live = {}) const;

 private:
  std::int64_t units_;
  Value kernel_, bias_;
};

/// The states after each step of a GRU that reads x, starting from zeros.
///
/// Shapes   x [steps, rows, inputs]; live [steps, rows], or none; states [steps, rows, units]
Value gru_states(Builder& builder, Value x, std::int64_t units, Value live = {});

/// As a layer: the state after the last step, or the states after all of them.
///
/// Shapes   x [rows, steps, inputs]; y [rows, units], or [rows, steps, units]
/// Errors   std::invalid_argument for a sample that is not [steps, inputs]
struct Gru {
  std::int64_t units = 0;
  bool return_sequences = false;

  static std::string kind() { return "GRU"; }
  Value operator()(Builder& builder, Value x) const;
};

}  // namespace systole::nn
