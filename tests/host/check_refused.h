#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "tests/host/run_program.h"

namespace systole::tests {

/// A refusal is one line on standard error that says this, and nothing on standard output.
inline void check_refused(const ProgramRun& run, int exit_code, const std::string& text) {
  INFO(run.errors);
  CHECK(run.exit_code == exit_code);
  CHECK(run.output.empty());
  CHECK(std::ranges::count(run.errors, '\n') == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("systole: ") && Catch::Contains(text));
}

}  // namespace systole::tests
