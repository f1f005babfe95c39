#include <catch2/catch.hpp>

#include "tests/support/run_program.h"

namespace systole::tests {

TEST_CASE("a layer, a loss and an optimizer of one's own learn on the device", "[examples]") {
  const std::string device = GENERATE("model", "cpu");
  const auto run = [&] {
    return run_words({std::string(SYSTOLE_EXAMPLES) + "/own_parts", device});
  };
  const ProgramRun first = run();
  CAPTURE(device, first.output, first.errors);
  CHECK(first.exit_code == 0);  // the accuracy it expects
  CHECK(run().output == first.output);
}

TEST_CASE("the example of one's own parts reports an unknown device", "[examples]") {
  const ProgramRun run = run_words({std::string(SYSTOLE_EXAMPLES) + "/own_parts", "toaster"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("own_parts: ") && Catch::Contains("toaster"));
}

}  // namespace systole::tests
