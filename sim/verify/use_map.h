#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/verify/token_planner.h"

namespace systole::verify {

/// Who last used each place of a buffer or of memory. Every buffer has at most one engine that only
/// reads it, so a new user of a place waits for the last use by every other engine.
class UseMap {
 public:
  explicit UseMap(std::size_t places) : last_(places, kNoNeeds) {}

  std::size_t places() const { return last_.size(); }

  void add_needs(std::size_t place, Needs& needs) const {
    const Needs& last = last_[place % last_.size()];
    for (int engine = 0; engine < kEngines; ++engine) {
      needs[engine] = std::max(needs[engine], last[engine]);
    }
  }
  void use(std::size_t place, Engine engine, int command) {
    last_[place % last_.size()][engine] = command;
  }

 private:
  std::vector<Needs> last_;
};

}  // namespace systole::verify
