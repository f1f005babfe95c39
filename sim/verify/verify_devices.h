#pragma once

#include <string>

#include "sim/verify/verification.h"

namespace systole::verify {

/// Makes the device that cases run on: the native C++ in lockstep with its control alone and, if
/// this build has Verilated this size, with the RTL.
///
/// Errors   std::invalid_argument for a size that neither has
DeviceMaker verify_device(int array_size);

/// The compared devices, "native C++, its control alone, RTL and interpreter", and how to add a
/// missing RTL.
std::string compared_devices(int array_size);

}  // namespace systole::verify
