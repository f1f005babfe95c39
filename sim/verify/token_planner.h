#pragma once

#include <array>
#include <span>
#include <vector>

#include "host/device/device_map.h"
#include "systole/cosim/random.h"

namespace systole::verify {

/// Engines that exchange tokens, by their bit in wait and signal.
enum Engine { kLoad, kCompute, kStore, kVector, kEngines };

/// For each engine, the last command that must finish first; -1 for none.
using Needs = std::array<int, kEngines>;
inline constexpr Needs kNoNeeds = {-1, -1, -1, -1};

/// Writes a program whose engines wait for each other where they must, and sometimes where they
/// need not.
///
/// The n-th take of a pair takes the token of the n-th give, which comes earlier in the ring. The
/// earliest unfinished command can therefore always run, and no program deadlocks, whatever the
/// queues hold.
class TokenPlanner {
 public:
  explicit TokenPlanner(cosim::Random& random) : random_(random) {}

  /// Adds a command without tokens: a shape or a fence.
  void add(const device::CommandWord& command) { commands_.push_back(command); }

  /// Adds a command of `engine` that waits for what it needs, and returns its index.
  int add(Engine engine, const device::CommandWord& command, const Needs& needs) {
    return add(engine, {&command, 1}, needs);
  }
  /// Adds commands of which the first waits and the last signals, and returns the last one's index.
  int add(Engine engine, std::span<const device::CommandWord> commands, const Needs& needs);

  /// The first command of `engine` that a token makes start after command `index` of `other`; -1
  /// for none.
  int first_ordered_after(Engine engine, Engine other, int index) const;

  /// The program so far; it takes every token it gives.
  const std::vector<device::CommandWord>& commands() const { return commands_; }
  int size() const { return static_cast<int>(commands_.size()); }

 private:
  struct Ordered {
    int first;               // the command that waits
    int index;               // the command that signals
    Needs after = kNoNeeds;  // the last of each engine whose token it, or an earlier one, takes
  };
  int pick_giver(Engine giver, int from);
  void take(Engine taker, Engine giver, int given_at);

  cosim::Random& random_;
  std::vector<device::CommandWord> commands_;
  std::array<std::vector<Ordered>, kEngines> of_engine_;
  std::array<Needs, kEngines> last_give_ = {kNoNeeds, kNoNeeds, kNoNeeds,
                                            kNoNeeds};  // [giver][taker]
};

}  // namespace systole::verify
