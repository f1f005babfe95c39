#pragma once

#include <string>

#include "tests/support/random.h"

namespace systole::tests {

/// A clocked module around a random thread: nested labelled loops, pops, pushes and clocks, under
/// conditions and not, with locals that live across waits.
///
/// Limits   what runs at reset, up to the first wait, reads no port
std::string random_thread(Random& random, const std::string& name);

}  // namespace systole::tests
