#pragma once

#include <string>

#include "tests/support/random.h"

namespace systole::tests {

/// A clocked module around a random thread: nested labelled loops, pops, pushes and clocks, under
/// conditions and not, with locals and arrays that live across waits, constant tables and
/// helpers that it awaits. Now and then it is an array of threads with a channel between each two,
/// or reaches memories, pipelines and another thread by ends, and divides.
///
/// Limits   what runs at reset, up to the first wait, reads no port
std::string random_thread(Random& random, const std::string& name);

}  // namespace systole::tests
