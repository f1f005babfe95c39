#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole {

/// Labelled samples: the inputs of all samples one after the other, and a class number for each, or
/// for each step of a sample, such as the next character.
///
/// Shapes   inputs [size(), product of sample_shape] row-major; images are height, width, channels;
///          labels [size(), labels_per_sample]
/// Limits   inputs.size() == size() * sample size; 0 <= label < classes
struct Dataset {
  std::string name;
  std::vector<std::int64_t> sample_shape;
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;
  std::int32_t classes = 0;
  std::int64_t labels_per_sample = 1;

  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()) / labels_per_sample; }

  /// The first `count` samples, or all if there are fewer.
  Dataset first(std::int64_t count) const;
};

/// Refuses inputs that no training can use.
///
/// Errors   std::invalid_argument naming the set and the place of its first NaN or infinity: the
///          sample, and the value within it
void need_finite(const Dataset& data);

/// A training set and the test set that goes with it.
struct SplitDataset {
  Dataset train, test;
};

}  // namespace systole
