#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/timeline/activity.h"

namespace systole::sim {

/// Notes the clocks in which a case does something, and those of a command of its first program.
class CaseObserver {
 public:
  explicit CaseObserver(std::optional<std::uint32_t> command = {}) : command_(command) {}

  void clock(const Activity& activity, std::uint64_t clock);

  std::uint64_t end() const { return end_; }

  /// The last clock up to this one in which commands, rows, tiles or beats were counted, or 0.
  std::uint64_t last_work(std::uint64_t clock) const;

  /// The clock in which the command was handed on, and the last in which it occupied its engine.
  ///
  /// Errors   std::invalid_argument if it was not handed on
  struct Clocks {
    std::uint64_t first = 0, last = 0;
  };
  Clocks of_command() const;

 private:
  void note_handed_on(const Activity& activity, std::uint64_t clock);
  void follow(const Activity& activity, std::uint64_t clock);

  std::optional<std::uint32_t> command_;
  std::uint64_t end_ = 0;
  std::vector<std::uint64_t> works_;
  std::uint32_t commands_ = 0;  // of the first program
  bool second_program_ = false, handed_on_ = false, done_ = false;
  int engine_ = -1;  // the command's
  Clocks clocks_;
};

}  // namespace systole::sim
