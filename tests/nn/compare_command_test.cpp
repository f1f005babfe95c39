// `systole compare`, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/data/idx_files.h"
#include "tests/host/run_program.h"

namespace systole::tests {
namespace {

using Words = std::vector<std::string>;

struct CompareFixture {
  TemporaryFolder folder;

  CompareFixture() { write_small_mnist(folder.path() + "/data", 70, 20); }

  ProgramRun compare(const Words& more) const {
    Words words{"compare", "mnist-mlp",  "--dataset",
                "mnist",   "--data-dir", folder.path() + "/data"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
};

bool has_device(const std::string& name) {
  return run_program({"devices"}).output.find(name) != std::string::npos;
}

void check_refused(const ProgramRun& run, int exit_code, const std::string& text) {
  INFO(run.errors);
  CHECK(run.exit_code == exit_code);
  CHECK(run.output.empty());
  CHECK(std::ranges::count(run.errors, '\n') == 1);
  CHECK_THAT(run.errors, Catch::StartsWith("systole: ") && Catch::Contains(text));
}

}  // namespace

TEST_CASE("compare trains on every device at every batch size", "[compare]") {
  const CompareFixture fixture;
  const ProgramRun run = fixture.compare({"--devices", "cpu", "--batch-sizes", "16,32", "--json",
                                          fixture.folder.file("compare.json")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  const auto record = nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
  CHECK(record["command"] == "compare");
  REQUIRE(record["runs"].size() == 2);
  CHECK(record["runs"][0]["config"]["batch_size"] == 16);
  CHECK(record["runs"][0]["losses"].size() == 5);
  CHECK(record["runs"][1]["losses"].size() == 3);
  CHECK(record["agreements"].empty());
}

TEST_CASE("compare does only the first steps on a device with a limit", "[compare]") {
  const CompareFixture fixture;
  const ProgramRun run = fixture.compare({"--devices", "cpu:2", "--epochs", "3", "--batch-sizes",
                                          "16", "--json", fixture.folder.file("compare.json")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  const auto record = nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
  CHECK(record["runs"][0]["losses"].size() == 2);
  CHECK(record["runs"][0]["accuracy"].is_null());
}

TEST_CASE("compare says who wins, and that model and rtl agree to the last bit", "[compare]") {
  if (!has_device("model") || !has_device("rtl")) {
    WARN("skipped: this build has no model and rtl");
    return;
  }
  const CompareFixture fixture;
  const ProgramRun run = fixture.compare({"--devices", "cpu,model,rtl:2", "--batch-sizes", "16",
                                          "--json", fixture.folder.file("compare.json")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("wins") && Catch::Contains("(assumed)") &&
                             Catch::Contains("model and rtl agree to the last bit at batch 16"));
  const auto record = nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
  REQUIRE(record["agreements"].size() == 1);
  CHECK(record["agreements"][0]["steps"] == 2);
  CHECK(record["agreements"][0]["losses_equal"] == true);
  CHECK(record["agreements"][0]["weights_equal"] == true);
  const auto& losses = record["runs"][1]["losses"];
  CHECK(record["runs"][2]["losses"] == nlohmann::ordered_json({losses[0], losses[1]}));
}

TEST_CASE("compare draws its figure as PNG and SVG", "[compare]") {
  if (std::system("command -v gnuplot >/dev/null") != 0) {
    WARN("skipped: gnuplot is not installed");
    return;
  }
  const CompareFixture fixture;
  const std::string figures = fixture.folder.file("new/it's figures");
  std::string quoted = figures;  // run_program quotes as a shell does
  quoted.replace(quoted.find('\''), 1, "'\\''");
  const ProgramRun run =
      fixture.compare({"--devices", "cpu", "--batch-sizes", "16", "--plot", quoted});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(read_file(figures + "/compare.png"), Catch::StartsWith("\x89PNG"));
  CHECK_THAT(read_file(figures + "/compare.svg"), Catch::Contains("</svg>"));
}

TEST_CASE("compare refuses devices, sizes and folders that cannot be", "[compare]") {
  const CompareFixture fixture;
  check_refused(run_program({"compare", "resnet"}), 2, "choose from mnist-mlp");
  check_refused(fixture.compare({"--devices", "cpu,gpu"}), 2, "unknown device 'gpu'");
  check_refused(fixture.compare({"--devices", "cpu,"}), 2, "empty name");
  check_refused(fixture.compare({"--devices", "cpu,cpu:3"}), 2, "names cpu twice");
  check_refused(fixture.compare({"--devices", "cpu:0"}), 2, "cpu:0");
  check_refused(fixture.compare({"--devices", "cpu:x"}), 2, "cpu:x");
  check_refused(fixture.compare({"--batch-sizes", "16,0"}), 2, "--batch-sizes");
  check_refused(fixture.compare({"--batch-sizes", "16,-8"}), 2, "--batch-sizes");
  check_refused(fixture.compare({"--devices", "cpu", "--json", fixture.folder.file("no/x")}), 1,
                "cannot write");
  check_refused(fixture.compare({"--devices", "cpu", "--plot",
                                 fixture.folder.file("data/train-labels-idx1-ubyte")}),
                1, "another --plot folder");
}

TEST_CASE("compare refuses to draw without gnuplot, before it trains", "[compare]") {
  const CompareFixture fixture;
  setenv("SAVED_PATH", std::getenv("PATH"), 1);
  setenv("PATH", fixture.folder.path().c_str(), 1);
  const ProgramRun run =
      fixture.compare({"--devices", "cpu", "--plot", fixture.folder.file("figures")});
  setenv("PATH", std::getenv("SAVED_PATH"), 1);
  check_refused(run, 1, "install gnuplot-nox");
}

}  // namespace systole::tests
