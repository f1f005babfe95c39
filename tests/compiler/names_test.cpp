// What values are called that are no variable of the source, or the opposite of one.

#include <catch2/catch.hpp>

#include "tests/compiler/run_hlsc.h"

namespace systole::tests {
namespace {

TEST_CASE("an inverted condition does not keep its variable's name") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/turned.h"), "tests::Turned");
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("assign not_is_store = !valid_i || (opcode_i != 8'd50);"));
  CHECK_THAT(run.output, Catch::Contains("assign not_starts = not_is_store || busy_q;"));
  CHECK_THAT(run.output,
             Catch::Contains("assign starts = (!not_starts && missing_is_0) && !stop_i;"));
  CHECK_THAT(run.output, !Catch::Contains("assign is_store = "));
}

TEST_CASE("a value without a variable is named after what it computes") {
  const ProgramRun run = run_hlsc(source_file("tests/compiler/kernels/turned.h"), "tests::Turned");
  CHECK_THAT(run.output, Catch::Contains("assign missing_is_0 = missing_i == 3'd0;"));
  CHECK_THAT(run.output, Catch::Contains("assign opcode_is_3 = opcode_i == 8'd3;"));
  CHECK_THAT(run.output, Catch::Contains("assign opcode_is_3_or = opcode_is_3 || "));
  CHECK_THAT(run.output, !Catch::Contains("value_"));
}

}  // namespace
}  // namespace systole::tests
