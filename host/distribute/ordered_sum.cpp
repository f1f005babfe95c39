#include "host/distribute/ordered_sum.h"

#include <algorithm>

namespace systole {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;  // values; ranks work on different blocks

// A part after the other: passes that vectorise. `sum` may be the first part.
void add_parts(std::span<const WeightedValues> parts, std::size_t first,
               std::span<const float> before, std::span<float> sum) {
  if (parts.empty()) {
    std::ranges::copy(before, sum.begin());
    return;
  }
  const float first_weight = parts.front().weight;
  const float* first_terms = parts.front().values.data() + first;
  if (before.empty()) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = first_weight * first_terms[i];
  } else {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      sum[i] = before[i] + first_weight * first_terms[i];
    }
  }
  for (const WeightedValues& part : parts.subspan(1)) {
    const float* terms = part.values.data() + first;
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.weight * terms[i];
  }
}

}  // namespace

void ordered_sum(Communicator& communicator, std::span<const WeightedValues> parts,
                 std::span<float> sum) {
  const int rank = communicator.rank();
  const bool first_rank = rank == 0;
  const bool last_rank = rank + 1 == communicator.size();
  std::vector<float> before;
  for (std::size_t first = 0; first < sum.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, sum.size() - first);
    if (!first_rank) {
      before.resize(count);
      communicator.receive(rank - 1, std::as_writable_bytes(std::span<float>(before)));
    }
    if (first_rank && parts.empty()) {
      // Nothing yet: -0 + x is x for every x.
      std::fill_n(sum.begin() + static_cast<std::ptrdiff_t>(first), count, -0.0f);
    } else {
      add_parts(parts, first, before, sum.subspan(first, count));
    }
    if (!last_rank) communicator.send(rank + 1, std::as_bytes(sum.subspan(first, count)));
  }
  for (std::size_t first = 0; first < sum.size() && communicator.size() > 1; first += kBlock) {
    const std::size_t count = std::min(kBlock, sum.size() - first);
    const auto block = sum.subspan(first, count);
    if (!last_rank) communicator.receive(rank + 1, std::as_writable_bytes(block));
    if (!first_rank) communicator.send(rank - 1, std::as_bytes(block));
  }
}

}  // namespace systole
