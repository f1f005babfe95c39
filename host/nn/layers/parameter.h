#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// A value that training changes: the fp32 master copy, its gradient, and the optimizer's memory.
/// If not `trained`, such as a moving average, only its layer changes it; it is saved and restored
/// with the others.
struct Parameter {
  std::string name;  ///< its name in checkpoints: "1.dense.weight"
  Shape shape;
  std::vector<float> value;
  std::vector<float> gradient;
  std::vector<std::vector<float>> slots;  ///< an optimizer's state, each the size of value
  std::uint64_t version = 1;  ///< counts updates; a converted copy is stale when it differs
  bool trained = true;        ///< by the optimizer, from its gradient

  Parameter(std::string parameter_name, Shape parameter_shape)
      : name(std::move(parameter_name)),
        shape(std::move(parameter_shape)),
        value(static_cast<std::size_t>(size_of(shape))),
        gradient(value.size()) {}

  /// The first `count` slots; new ones are zeros.
  void need_slots(std::size_t count) {
    if (slots.size() < count) slots.resize(count, std::vector<float>(value.size(), 0.0f));
  }
};

}  // namespace systole::nn
