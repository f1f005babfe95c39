#pragma once

#include <string>
#include <vector>

#include "host/report/comparison.h"

namespace systole {

/// "3.21 mJ", "1.02 J": three digits and the unit that fits.
std::string joules_in_words(double joules);

/// "estimated, 45 nm"; "measured".
std::string energy_label(const RecordedEnergy& energy);

/// What the energies of a duel say: who wins at each batch size and by how much, where the
/// device's goes, and what moved it from the smallest batch size to the largest. Empty where one of
/// the two has no energy.
std::vector<std::string> energy_reasons(const Duel& duel);

/// The energies of all runs that have one, as rows of words: subject, batch size, joules a step, a
/// sample and an epoch, the CPU's over it, the label, and the joules a step in other processes.
std::vector<std::vector<std::string>> energy_rows(const Comparison& comparison);

}  // namespace systole
