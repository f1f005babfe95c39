#pragma once

#include <string>
#include <vector>

#include "host/report/comparison.h"

namespace systole {

/// Who wins and why, in sentences: the crossover of each duel, the array's peak against the CPU's
/// measured rate, and what the host's part costs.
struct Verdict {
  std::string subject;   ///< the device
  std::string headline;  ///< Duel::crossover
  std::vector<std::string> reasons;
};
std::vector<Verdict> verdicts(const Comparison& comparison);

/// What to know before believing a number: a busy machine, runs cut short, runs that failed.
std::vector<std::string> cautions(const Comparison& comparison);

/// "model and rtl agree to the last bit at batch 16: ...", or that they differ.
std::vector<std::string> agreement_lines(const Comparison& comparison);

}  // namespace systole
