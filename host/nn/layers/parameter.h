#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/numbers/shape.h"

namespace systole::nn {

/// Something that training changes: an fp32 master copy, its gradient, and the optimizer's memory.
/// One that is not `trained`, such as a moving average, is changed by its layer alone; it is saved
/// and restored with the others.
struct Parameter {
  std::string name;  ///< as a checkpoint has it: "1.dense.weight"
  Shape shape;
  std::vector<float> value;
  std::vector<float> gradient;
  std::vector<std::vector<float>> slots;  ///< an optimizer's state, each the size of value
  std::uint64_t version = 1;  ///< counts updates; a converted copy is stale when it differs
  bool trained = true;        ///< by the optimizer, which needs its gradient

  Parameter(std::string parameter_name, Shape parameter_shape)
      : name(std::move(parameter_name)),
        shape(std::move(parameter_shape)),
        value(static_cast<std::size_t>(size_of(shape))),
        gradient(value.size()) {}

  /// The first `count` slots, zeroed when they are new.
  void need_slots(std::size_t count) {
    if (slots.size() < count) slots.resize(count, std::vector<float>(value.size(), 0.0f));
  }
};

}  // namespace systole::nn
