#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/support/run_program.h"

namespace systole::tests {

/// A failure is one line on standard error that contains this text.
inline void check_failed(const ProgramRun& run, int exit_code, const std::string& text) {
  INFO(run.errors);
  CHECK(run.exit_code == exit_code);
  CHECK(std::ranges::count(run.errors, '\n') == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("systole: ") && Catch::Contains(text));
}

/// A refusal is a failure before any work: standard output is empty.
inline void check_refused(const ProgramRun& run, int exit_code, const std::string& text) {
  check_failed(run, exit_code, text);
  CHECK(run.output.empty());
}

}  // namespace systole::tests
