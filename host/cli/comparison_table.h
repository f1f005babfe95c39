#pragma once

#include <string>

#include "host/cli/comparison.h"

namespace systole {

/// The comparison as text: a table, who wins at each batch size and why, and which devices agree.
/// Measured, simulated and assumed figures are labelled as such.
std::string comparison_table(const Comparison& comparison);

}  // namespace systole
