#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/verify/verify_case.h"

namespace systole::verify {

/// What becomes of a round of programs, one a core, that run at the same time.
enum class LineEnding {
  kDone,    ///< all of them end
  kFault,   ///< the program of one core meets a fault of its own, and others wait for it
  kLength,  ///< one core's program sends or takes fewer words than its neighbours expect
  kStall,   ///< a link stands still for longer than the core above it has patience
};
inline constexpr int kLineEndings = 4;
inline constexpr const char* kLineEndingNames[kLineEndings] = {
    "done", "a core's fault", "a core whose program differs", "a link that stalls"};

/// The programs that the cores of a line run at the same time.
struct Round {
  LineEnding ending = LineEnding::kDone;
  int culprit = 0;  ///< the core that ends it, or the one above the link that stalls
  std::uint32_t patience = 0;
  std::uint64_t stalls = 0;  ///< clocks
};

/// One case of a verification of several cores in a line: memory and programs of each, and rounds
/// in which program i of all cores run together. The seed, the array's size and the number of cores
/// determine all of it.
struct LineCase {
  std::uint64_t seed = 0;
  std::vector<Case> cores{};
  std::vector<Round> rounds{};
};

/// Half of the cases have a round that does not end as it should, and a last one that does.
LineCase make_line_case(std::uint64_t seed, int array_size, int cores);

/// The case as text.
std::string describe(const LineCase& which);

}  // namespace systole::verify
