#pragma once

#include <string>

#include "sim/verify/verification.h"

namespace systole::verify {

/// Makes the device that cases run on: the native C++ in lockstep with its control alone and, if
/// this build has Verilated this size with this bus (0: N bytes), with the RTL.
///
/// Errors   std::invalid_argument for a size or a bus that neither has
DeviceMaker verify_device(int array_size, int bus_bytes = 0);

/// The compared devices, "native C++, its control alone, RTL and interpreter", and how to add a
/// missing RTL.
std::string compared_devices(int array_size, int bus_bytes = 0);

}  // namespace systole::verify
