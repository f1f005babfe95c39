#include "host/data/dataset.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole {

Dataset Dataset::first(std::int64_t count) const {
  const std::int64_t kept = std::clamp<std::int64_t>(count, 0, size());
  const std::int64_t sample_size =
      labels.empty() ? 0 : static_cast<std::int64_t>(inputs.size()) / size();
  return {.name = name,
          .sample_shape = sample_shape,
          .inputs = {inputs.begin(), inputs.begin() + kept * sample_size},
          .labels = {labels.begin(), labels.begin() + kept * labels_per_sample},
          .classes = classes,
          .labels_per_sample = labels_per_sample};
}

void need_finite(const Dataset& data) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  const auto wrong = std::ranges::find_if_not(data.inputs, is_finite);
  if (wrong == data.inputs.end()) return;
  const auto place = wrong - data.inputs.begin();
  const auto sample_size = static_cast<std::int64_t>(data.inputs.size()) / data.size();
  throw std::invalid_argument(
      fmt::format("{}: value {} of sample {} is {}; remove the sample or repair it",
                  data.name.empty() ? "the data set" : data.name, place % sample_size,
                  place / sample_size, *wrong));
}

}  // namespace systole
