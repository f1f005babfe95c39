// Ranks as processes: the same contract as thread ranks, and ends that nobody waits for.
#include <catch2/catch.hpp>

#include "tests/distribute/mpirun.h"

namespace systole::tests {
namespace {

ProgramRun run(int ranks, const std::string& mode) {
  return mpirun(ranks, SYSTOLE_MPI_PROGRAM, {mode});
}

}  // namespace

TEST_CASE("several processes compute the same sum as one", "[mpi]") {
  const ProgramRun two = run(2, "sum");
  CAPTURE(two.output, two.errors);
  CHECK(two.exit_code == 0);
  CHECK_THAT(two.output, Catch::StartsWith("sum ") && Catch::EndsWith("over 2 ranks\n"));
  CHECK(run(2, "sum").output == two.output);
  CHECK_THAT(run(1, "sum").output, Catch::EndsWith("over 1 ranks\n"));
}

TEST_CASE("a process that throws ends the run, and all give the reason", "[mpi]") {
  const ProgramRun failed = run(3, "throw");
  CAPTURE(failed.errors);
  CHECK(failed.exit_code != 0);
  CHECK_THAT(failed.errors, Catch::Contains("rank 2: the disk is full"));
  CHECK_THAT(failed.errors, Catch::Contains("rank 1: rank 2 has left the run: it has ended"));
}

TEST_CASE("a process that leaves gives its reason", "[mpi]") {
  const ProgramRun failed = run(2, "leave");
  CAPTURE(failed.errors);
  CHECK(failed.exit_code != 0);
  CHECK_THAT(failed.errors, Catch::Contains("rank 0: rank 1 has left the run: it was told to"));
}

TEST_CASE("a process that dies or exits ends the run", "[mpi]") {
  const std::string mode = GENERATE("die", "exit");
  const ProgramRun failed = run(3, mode);
  CAPTURE(mode, failed.errors);
  CHECK(failed.exit_code != 0);
  CHECK_FALSE(failed.errors.empty());
}

TEST_CASE("processes that differ report where", "[mpi]") {
  const ProgramRun differ = run(2, "differ");
  CHECK(differ.exit_code != 0);
  CHECK_THAT(differ.errors,
             Catch::Contains("rank 0: the seed differs between ranks: '1' on rank 0, "
                             "'7' on rank 1"));
  const ProgramRun size = run(2, "size");
  CHECK(size.exit_code != 0);
  CHECK_THAT(size.errors, Catch::Contains("rank 0 expects 8 bytes of rank 1"));
}

}  // namespace systole::tests
