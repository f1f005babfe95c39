#pragma once

#include <string>

#include "host/report/comparison.h"

namespace systole {

/// The comparison as one HTML page that needs nothing else: verdict, figures, tables, what the
/// numbers are, why the array waits, and the commands that reproduce them. Reads well on light and
/// dark screens, and on paper.
std::string report_page(const Comparison& comparison);

}  // namespace systole
