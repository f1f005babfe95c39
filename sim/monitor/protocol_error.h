#pragma once

#include <stdexcept>

namespace systole::sim {

/// A rule of AXI4 or AXI4-Lite that the device, the memory or the host broke.
class ProtocolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace systole::sim
