#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/verify/program_run.h"

namespace systole::verify {

struct Totals {
  std::uint64_t programs = 0;
  std::uint64_t commands = 0;  ///< handed on
  std::uint64_t tiles = 0;
  std::uint64_t cycles = 0;  ///< in which the device was busy
};

/// What a verification has met: how often each kind of command, each way to end, each cause of
/// waiting, each part of the host's protocol.
class Coverage {
 public:
  /// Counts a program that was run.
  void add(const Case& which, const Program& program, const Outcome& outcome);

  /// One line for each kind, with its count; what never happened is there with 0.
  std::string table() const;
  const Totals& totals() const { return totals_; }
  int missing() const;  ///< kinds that never happened

 private:
  std::map<std::string, std::uint64_t> counts_ = all_kinds();
  Totals totals_;
  static std::map<std::string, std::uint64_t> all_kinds();
  void hit(const std::string& kind) { ++counts_[kind]; }
};

}  // namespace systole::verify
