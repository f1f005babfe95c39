#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace systole::nn {

/// What a step's graph takes from the host besides its batch: f32 scalars, inputs by these names.
struct StepScalars {
  static constexpr const char *kRate = "learning_rate", *kUpdate = "update",
                              *kFirstRow = "first_row";

  float rate = 0;              ///< the learning rate, schedule applied
  std::int64_t update = 1;     ///< the step's number, from 1
  std::int64_t first_row = 0;  ///< where this core's rows begin in the whole batch

  std::map<std::string, double> by_name() const {
    return {{kRate, rate},
            {kUpdate, static_cast<double>(update)},
            {kFirstRow, static_cast<double>(first_row)}};
  }
};

}  // namespace systole::nn
