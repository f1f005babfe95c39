#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/nn/shape.h"

namespace systole::nn {

/// Something that training changes: an fp32 master copy, its gradient, and the optimizer's memory.
struct Parameter {
  std::string name;  ///< "weight", "bias"
  Shape shape;
  std::vector<float> value;
  std::vector<float> gradient;
  std::vector<std::vector<float>> slots;  ///< an optimizer's state, each the size of value
  std::uint64_t version = 1;  ///< counts updates; a converted copy is stale when it differs

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
