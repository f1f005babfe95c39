#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/run_program.h"

namespace systole::tests {

using Words = std::vector<std::string>;

inline Words joined(Words first, const Words& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

/// The record of a `systole` command that must succeed, written to `path`.
inline nlohmann::ordered_json recorded(const Words& words, const std::string& path) {
  const ProgramRun run = run_program(joined(words, {"--json", path}));
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  return nlohmann::ordered_json::parse(read_file(path));
}

/// Whether this build has the device; warns if not.
inline bool has_device(const std::string& name) {
  const bool found = run_program({"devices"}).output.find(name) != std::string::npos;
  if (!found) WARN("skipped: this build has no " << name);
  return found;
}

}  // namespace systole::tests
