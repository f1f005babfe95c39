#include "hls/reference/systolic_array.h"

#include "hls/reference/mac.h"

namespace systole::reference {
namespace {

std::uint32_t mac(bool is_int8, std::uint16_t activation, std::uint16_t weight, std::uint32_t sum) {
  if (!is_int8) return mac_bf16(activation, weight, sum);
  return static_cast<std::uint32_t>(mac_int8(static_cast<std::int8_t>(activation),
                                             static_cast<std::int8_t>(weight),
                                             static_cast<std::int32_t>(sum)));
}

}  // namespace

SystolicArray::SystolicArray(int size)
    : size_(size), weights_(2 * static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

std::uint16_t& SystolicArray::weight(bool plane, int row, int column) {
  const int index = ((plane ? size_ : 0) + row) * size_ + column;
  return weights_[static_cast<std::size_t>(index)];
}

std::vector<std::uint32_t> SystolicArray::enter(const Beat& beat) {
  std::vector<std::uint32_t> sums(static_cast<std::size_t>(size_), 0);
  for (int n = 0; n < size_; ++n) {
    std::uint32_t& sum = sums[static_cast<std::size_t>(n)];
    for (int k = 0; k < size_; ++k) {
      sum = mac(beat.is_int8, beat.activation[static_cast<std::size_t>(k)],
                weight(beat.plane, k, n), sum);
    }
  }
  for (int k = 0; beat.weight_valid && k < size_; ++k) {
    weight(beat.weight_plane, k, beat.weight_column) = beat.weight[static_cast<std::size_t>(k)];
  }
  return sums;
}

}  // namespace systole::reference
