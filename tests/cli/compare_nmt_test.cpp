// `systole compare nmt`, run as a user runs it, on a small parallel text that the test writes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/systole_runs.h"
#include "tests/data/sentence_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

struct CompareNmtFixture {
  TemporaryFolder folder;

  CompareNmtFixture() { write_small_sentences(folder.file("spa-eng"), 10); }

  ProgramRun compare(const Words& more) const {
    return run_program(joined({"compare", "nmt", "--data-dir", folder.path(), "--sentences", "60",
                               "--test-samples", "10", "--units", "8"},
                              more));
  }
};

}  // namespace

TEST_CASE("compare trains the translator in compiled steps beside the cpu", "[compare_nmt]") {
  if (!has_device("model") || !has_device("rtl")) return;
  const CompareNmtFixture fixture;
  const std::string json = fixture.folder.file("compare.json");
  const ProgramRun run = fixture.compare({"--devices", "cpu,model,rtl:2", "--array", "4",
                                          "--batch-sizes", "20", "--steps-per-execution", "2",
                                          "--json", json, "--plot", fixture.folder.file("page")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("nmt on spa-eng") && Catch::Contains("wins") &&
                             Catch::Contains("model and rtl agree to the last bit"));
  CHECK_THAT(read_file(fixture.folder.file("page/compare.html")), Catch::Contains("</html>"));
  const auto record = nlohmann::ordered_json::parse(read_file(json));
  CHECK(record["model"] == "nmt");
  CHECK(record["test_samples"] == 10);
  REQUIRE(record["runs"].size() == 3);
  CHECK(record["runs"][0]["config"]["sentences"] == 60);
  CHECK(record["runs"][0]["losses"].size() == 3);
  CHECK(record["runs"][0]["bleu"].get<double>() >= 0);
  CHECK(record["runs"][1]["config"]["steps_per_execution"] == 2);
  CHECK(record["runs"][1]["programs_per_step"].get<double>() < 1);
  CHECK(record["runs"][2]["losses"].size() == 2);
  CHECK(record["runs"][2]["accuracy"].is_null());
  REQUIRE(record["agreements"].size() == 1);
  CHECK(record["agreements"][0]["steps"] == 2);
  CHECK(record["agreements"][0]["weights_equal"] == true);
}

TEST_CASE("compare nmt refuses what the translator does not have", "[compare_nmt]") {
  const CompareNmtFixture fixture;
  check_refused(fixture.compare({"--devices", "cpu", "--optimizer", "sgd"}), 2,
                "unknown optimizer 'sgd' for nmt");
  check_refused(fixture.compare({"--devices", "cpu*2"}), 2,
                "--devices cpu*2: a translator trains on one core");
  check_refused(fixture.compare({"--devices", "cpu", "--dropout", "0.5"}), 2,
                "nmt has no place for");
  check_refused(fixture.compare({"--devices", "cpu", "--dataset", "mnist"}), 2,
                "unknown dataset 'mnist' for nmt");
}

}  // namespace systole::tests
