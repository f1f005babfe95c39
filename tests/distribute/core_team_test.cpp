#include "host/distribute/core_team.h"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>

namespace systole::tests {

TEST_CASE("a team runs a job once for each core, each core on one thread", "[core_team]") {
  const int workers = GENERATE(1, 2, 3, 5);
  CoreTeam team(5, workers);
  std::vector<std::thread::id> first(5);
  for (int round = 0; round < 50; ++round) {
    std::vector<int> runs(5);
    std::vector<std::thread::id> threads(5);
    team.run([&](int core) {
      ++runs[core];
      threads[core] = std::this_thread::get_id();
    });
    REQUIRE(runs == std::vector<int>(5, 1));
    if (round == 0) first = threads;
    REQUIRE(threads == first);
  }
  CHECK(first[0] == std::this_thread::get_id());
}

TEST_CASE("a team rethrows the lowest core's exception and keeps working", "[core_team]") {
  CoreTeam team(4, 2);
  std::vector<int> runs(4);
  const auto job = [&](int core) {
    ++runs[core];
    if (core == 1 || core == 3) throw std::runtime_error("core " + std::to_string(core));
  };
  CHECK_THROWS_WITH(team.run(job), "core 1");
  CHECK(runs == std::vector<int>(4, 1));
  CHECK_NOTHROW(team.run([](int) {}));
}

TEST_CASE("a team needs at least one worker and at most one for each core", "[core_team]") {
  CHECK_THROWS_AS(CoreTeam(2, 0), std::invalid_argument);
  CHECK_THROWS_AS(CoreTeam(2, 3), std::invalid_argument);
}

}  // namespace systole::tests
