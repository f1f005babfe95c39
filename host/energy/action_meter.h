#pragma once

#include <cstdint>
#include <unordered_map>

#include "host/device/action_counts.h"
#include "host/device/backend.h"

namespace systole::energy {

/// Counts what a backend's programs make it do, from now on: as Device::watch_programs sees them.
///
/// Limits   for backends with sizes(); a program that ends with a fault counts as a whole
class ActionMeter {
 public:
  /// The backend must outlive the meter, and meters end in the reverse order of their making.
  explicit ActionMeter(Backend& backend);
  ~ActionMeter();
  ActionMeter(const ActionMeter&) = delete;
  ActionMeter& operator=(const ActionMeter&) = delete;

  const ActionCounts& counts() const { return counts_; }

 private:
  void add(const PlacedProgram& program, const Memory& memory);

  Backend& backend_;
  DeviceSizes sizes_;
  ActionCounts counts_;
  std::unordered_map<std::uint64_t, ActionCounts> known_;  ///< of programs, by their number
};

}  // namespace systole::energy
