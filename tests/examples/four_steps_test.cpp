#include <catch2/catch.hpp>

#include "tests/data/idx_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {

TEST_CASE("the four steps run on cores of the device and of the cpu", "[examples]") {
  const std::string device = GENERATE("model:3", "cpu:2", "none");
  const TemporaryFolder folder;
  write_small_mnist(folder.path() + "/fashion-mnist", 100, 30);
  const ProgramRun run =
      run_words({"env", "SYSTOLE_DATA_DIR=" + folder.path(), "SYSTOLE_DEVICE=" + device,
                 std::string(SYSTOLE_EXAMPLES) + "/four_steps", "90"});
  CAPTURE(device, run.output, run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("loss ") && Catch::Contains("test accuracy "));
  if (device == "model:3") {
    CHECK_THAT(run.output, Catch::StartsWith("connected to 3 cores of model") &&
                               Catch::Contains("ms on the slowest core"));
  }
  if (device == "cpu:2") CHECK_THAT(run.output, Catch::StartsWith("connected to 2 cores of cpu"));
  if (device == "none") CHECK_THAT(run.output, Catch::StartsWith("not connected to a TPU runtime"));
}

TEST_CASE("the four-steps example reports errors", "[examples]") {
  const ProgramRun run = run_words({"env", "SYSTOLE_DATA_DIR=/nowhere", "SYSTOLE_DEVICE=model:x",
                                    std::string(SYSTOLE_EXAMPLES) + "/four_steps", "90"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("four_steps: "));
}

}  // namespace systole::tests
