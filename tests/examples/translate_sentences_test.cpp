#include <catch2/catch.hpp>

#include "tests/data/sentence_files.h"
#include "tests/support/run_program.h"

namespace systole::tests {

TEST_CASE("the translating example learns and translates", "[examples]") {
  const TemporaryFolder folder;
  write_small_sentences(folder.path() + "/spa-eng", 30);
  const ProgramRun run =
      run_words({"env", "SYSTOLE_DATA_DIR=" + folder.path(),
                 std::string(SYSTOLE_EXAMPLES) + "/translate_sentences", "100", "2"});
  CAPTURE(run.output, run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::StartsWith("loss ") && Catch::Contains(" -> ") &&
                             Catch::Contains("on 200 sentences"));
}

TEST_CASE("the translating example reports what is missing", "[examples]") {
  const TemporaryFolder folder;
  const ProgramRun run =
      run_words({"env", "SYSTOLE_DATA_DIR=" + folder.path(), "HOME=" + folder.path(),
                 "XDG_CACHE_HOME=" + folder.path(), "sh", "-c",
                 "cd " + folder.path() + " && " SYSTOLE_EXAMPLES "/translate_sentences"});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("translate_sentences: ") &&
                             Catch::Contains("scripts/fetch_data spa-eng"));
}

}  // namespace systole::tests
