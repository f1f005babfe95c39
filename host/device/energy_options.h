#pragma once

#include <map>
#include <string>

namespace systole {

/// What a configuration says of a device's energy; host/energy turns it into a table.
struct EnergyOptions {
  std::string process = "45 nm";  ///< "45 nm", "16 nm" or "7 nm"; empty: no estimate
  std::string memory = "DDR4";    ///< "DDR4" or "HBM2"
  /// Power that flows whatever the device does; 0: scaled from a TPU v2's by the array's elements.
  double static_watts = 0;
  std::string static_source = {};
  /// Numbers that replace the table's, by name, in picojoules, and where they come from.
  std::map<std::string, double> picojoules = {};
  std::string source = {};

  friend bool operator==(const EnergyOptions&, const EnergyOptions&) = default;
};

}  // namespace systole
