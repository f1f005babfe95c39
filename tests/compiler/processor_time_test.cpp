// The time that hlsc's limit counts of the programs that it runs.

#include "hls/compiler/support/processor_time.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

namespace systole::tests {
namespace {

using compiler::processor_seconds;

TEST_CASE("a running process's file in /proc has the processor time that it used") {
  while (processor_seconds(RUSAGE_SELF) < 0.1) {
  }
  const double before = processor_seconds(RUSAGE_SELF);
  std::ifstream stat("/proc/self/stat");
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  CHECK(processor_seconds(stat) >= before - 2 * tick);  // of user and system, each rounded down
}

TEST_CASE("a process that ends while its file in /proc is open has used no time") {
  int hold[2];
  REQUIRE(pipe(hold) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    char byte = 0;
    close(hold[1]);
    _exit(static_cast<int>(read(hold[0], &byte, 1)));  // until the other end is closed
  }
  std::ifstream stat(fmt::format("/proc/{}/stat", child));
  REQUIRE(stat.is_open());
  close(hold[1]);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(processor_seconds(stat) == 0);
  close(hold[0]);
}

}  // namespace
}  // namespace systole::tests
