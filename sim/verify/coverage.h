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
  std::uint64_t cycles = 0;  ///< clocks in which the device was busy
};

/// What a verification has covered: how often each kind of command, ending, cause of waiting and
/// part of the host's protocol occurred.
class Coverage {
 public:
  /// Counts a program that has run.
  void add(const Case& which, const Program& program, const Outcome& outcome);

  /// One line for each kind with its count, including zeros.
  std::string table() const;
  const Totals& totals() const { return totals_; }
  int missing() const;  ///< kinds that never occurred

 private:
  std::map<std::string, std::uint64_t> counts_ = all_kinds();
  Totals totals_;
  static std::map<std::string, std::uint64_t> all_kinds();
  void hit(const std::string& kind) { ++counts_[kind]; }
};

}  // namespace systole::verify
