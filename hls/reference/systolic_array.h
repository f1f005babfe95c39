#pragma once

#include <cstdint>
#include <vector>

namespace systole::reference {

/// The oracle of hls/kernels/systolic_array: the same beats and no wavefront. A row's sums are
/// computed when it enters, from the weights of all beats before it.
///
/// Shapes   activation[n], weight[n] of a beat; sums[n]
/// Timing   none: the kernel's outputs are these, its latency later
/// Numbers  k ascending from +0
class SystolicArray {
 public:
  struct Beat {
    std::vector<std::uint16_t> activation;
    bool plane = false;
    bool is_int8 = false;
    std::vector<std::uint16_t> weight;
    int weight_column = 0;
    bool weight_plane = false;
    bool weight_valid = false;
  };

  explicit SystolicArray(int size);

  /// The sums of the beat's row; then the beat's weights are in place.
  std::vector<std::uint32_t> enter(const Beat& beat);

 private:
  std::uint16_t& weight(bool plane, int row, int column);
  int size_;
  std::vector<std::uint16_t> weights_;
};

}  // namespace systole::reference
