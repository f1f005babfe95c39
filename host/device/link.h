#pragma once

#include <string>

namespace systole {

/// A link that is not simulated: only its time is modelled.
struct Link {
  double gbit_per_second = 0;  ///< in one direction; 0: no link, and no time
  double latency_us = 0;       ///< of one message
  std::string source;          ///< where the figures come from

  /// Of a message of `bytes`.
  double seconds(double bytes) const {
    return gbit_per_second > 0 ? latency_us * 1e-6 + 8 * bytes / (gbit_per_second * 1e9) : 0;
  }
};

}  // namespace systole
