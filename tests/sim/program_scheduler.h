#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>

#include "host/device/device_map.h"
#include "sim/device/program_interpreter.h"
#include "tests/support/random.h"

namespace systole::tests {

/// Runs a program in a random order that the device's sequencer and engines allow: commands are
/// handed on in ring order to queues of 16; each engine takes its own in order, once their tokens
/// are available, and runs at a random pace. A program whose result depends on that order, or that
/// can block forever, is wrong.
///
/// Errors   run returns an error in words, or an empty string: a deadlock, a fault, more than 255
///          tokens, tokens left over, and an accumulator bank that one engine could read or preload
///          while another adds to it
class ProgramScheduler {
 public:
  static constexpr std::size_t kQueue = device::kQueuedCommands;
  static constexpr int kMostTokens = device::kMostTokens;

  /// Which engine goes first if several can.
  enum class Pace { kRandom, kLoadsFirst, kProductsFirst, kStoresFirst };

  ProgramScheduler(ProgramInterpreter& interpreter, Pace pace, std::uint64_t seed)
      : interpreter_(interpreter), pace_(pace), random_(seed) {}

  std::string run(std::span<const device::CommandWord> program);

 private:
  struct Queued {
    device::CommandWord word;
    std::uint32_t index;
  };
  void hand_on(std::span<const device::CommandWord> program);
  bool ready(int engine) const;
  std::string take(int engine);
  std::string bank_conflict() const;

  ProgramInterpreter& interpreter_;
  Pace pace_;
  Random random_;
  std::array<std::deque<Queued>, 3> queues_;
  std::array<std::array<int, 3>, 3> tokens_{};  // [giver][taker]
  std::size_t next_ = 0;
  std::uint16_t product_rows_ = 1, load_rows_ = 1, load_cols_ = 1, load_stride_ = 0,
                store_rows_ = 1;
};

}  // namespace systole::tests
