#pragma once

#include <string>

#include "host/report/comparison.h"

namespace systole {

/// The comparison as text for a terminal: a line for each run, who wins and why, cautions, and
/// which devices agree to the last bit. Each column says whether it is measured or simulated.
std::string comparison_table(const Comparison& comparison);

}  // namespace systole
