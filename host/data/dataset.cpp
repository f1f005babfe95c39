#include "host/data/dataset.h"

#include <algorithm>

namespace systole {

Dataset Dataset::first(std::int64_t count) const {
  const std::int64_t kept = std::clamp<std::int64_t>(count, 0, size());
  const std::int64_t sample_size =
      labels.empty() ? 0 : static_cast<std::int64_t>(inputs.size()) / size();
  return {.name = name,
          .sample_shape = sample_shape,
          .inputs = {inputs.begin(), inputs.begin() + kept * sample_size},
          .labels = {labels.begin(), labels.begin() + kept},
          .classes = classes};
}

}  // namespace systole
