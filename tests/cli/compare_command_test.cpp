// `systole compare`, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

struct CompareFixture {
  TemporaryFolder folder;

  CompareFixture() { write_small_mnist(folder.file("data"), 70, 20); }

  ProgramRun compare(const Words& more) const {
    return run_program(joined(
        {"compare", "mnist-mlp", "--dataset", "mnist", "--data-dir", folder.file("data")}, more));
  }
};

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

TEST_CASE("compare runs only the first steps on a device with a limit", "[compare]") {
  const CompareFixture fixture;
  const ProgramRun run = fixture.compare({"--devices", "cpu:2", "--epochs", "3", "--batch-sizes",
                                          "16", "--json", fixture.folder.file("compare.json")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  const auto record = nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
  CHECK(record["runs"][0]["losses"].size() == 2);
  CHECK(record["runs"][0]["accuracy"].is_null());
}

TEST_CASE("compare leaves the first execution of compiled steps out, and says so", "[compare]") {
  if (!has_device("model")) return;
  const CompareFixture fixture;
  const auto compare = [&](const Words& more) {
    const Words words = {"--devices",
                         "cpu,model:2",
                         "--array",
                         "4",
                         "--batch-sizes",
                         "4",
                         "--steps-per-execution",
                         "2",
                         "--json",
                         fixture.folder.file("compare.json")};
    const ProgramRun run = fixture.compare(joined(words, more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    std::string text;  // lines are broken anywhere
    for (const char c : run.output) {
      if (c != '\n' && (c != ' ' || !text.ends_with(' '))) text += c;
      if (c == '\n' && !text.ends_with(' ')) text += ' ';
    }
    return std::pair(text,
                     nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json"))));
  };
  const auto [two, record] = compare({});
  CHECK(record["runs"][1]["losses"].size() == 4);
  CHECK(record["runs"][1]["executions"] == 2);
  CHECK(record["runs"][1]["first_host_seconds"] > 0);
  CHECK_THAT(two, Catch::Contains("Its first execution, of 2 steps"));
  CHECK_THAT(two, !Catch::Contains("all steps ran in one execution"));
  const auto [one, lone] = compare({"--steps-per-epoch", "2"});
  CHECK(lone["runs"][1]["executions"] == 1);
  CHECK_THAT(one, Catch::Contains("all steps ran in one execution"));
}

TEST_CASE("compare names a device by its configuration", "[compare]") {
  if (!has_device("model")) return;
  const CompareFixture fixture;
  const auto compare = [&](const std::string& devices, const Words& more) {
    const ProgramRun run = fixture.compare(joined(
        {"--devices", devices, "--batch-sizes", "4", "--json", fixture.folder.file("compare.json")},
        more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    const auto record =
        nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
    return std::pair(run.output, record["runs"][0]["config"]);
  };
  const auto [own, own_config] = compare("model@tpu-v2-core:2", {});
  CHECK(own_config["configuration"] == "tpu-v2-core");
  CHECK_THAT(own, Catch::Contains("model, tpu-v2-core, 128 x 128 array"));
  const Words common = {"--config", "tpu-v2-core"};
  CHECK(compare("model:2", common).second["configuration"] == "tpu-v2-core");
  CHECK_FALSE(
      compare("model:2", joined(common, {"--clock-mhz", "9"})).second.contains("configuration"));
  CHECK_FALSE(compare("model@128:2", common).second.contains("configuration"));
}

TEST_CASE("several cores are a device of their own in a comparison", "[compare]") {
  if (!has_device("model")) return;
  const CompareFixture fixture;
  const auto compare = [&](const Words& more) {
    const ProgramRun run =
        fixture.compare(joined({"--devices", "model:2,model*2:2", "--array", "4", "--batch-sizes",
                                "8", "--json", fixture.folder.file("compare.json")},
                               more));
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    const auto record =
        nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
    REQUIRE(record["runs"].size() == 2);
    CHECK(record["runs"][0]["cores"]["count"] == 1);
    CHECK(record["runs"][1]["cores"]["count"] == 2);
    CHECK(record["runs"][1]["cores"]["linked"] == true);
    CHECK(record["agreements"].empty());  // their sums are in other orders
    return run;
  };
  CHECK_THAT(compare({}).output, Catch::Contains("model*2"));
  const std::string again = compare({"--resume"}).errors;
  CHECK_THAT(again, Catch::Contains("1 of 2: model, bf16, batches of 8, 2 steps: recorded"));
  CHECK_THAT(again, Catch::Contains("2 of 2: model*2, bf16, batches of 8, 2 steps: recorded"));
}

TEST_CASE("compare says who wins, and that model and rtl agree to the last bit", "[compare]") {
  if (!has_device("model") || !has_device("rtl")) return;
  const CompareFixture fixture;
  const ProgramRun run = fixture.compare({"--devices", "cpu,model,rtl:2", "--batch-sizes", "16",
                                          "--json", fixture.folder.file("compare.json")});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.output,
             Catch::Contains("wins") && Catch::Contains("assumed") &&
                 Catch::Contains("model and rtl agree to the last bit at batch size 16"));
  const auto record = nlohmann::ordered_json::parse(read_file(fixture.folder.file("compare.json")));
  REQUIRE(record["agreements"].size() == 1);
  CHECK(record["agreements"][0]["steps"] == 2);
  CHECK(record["agreements"][0]["losses_equal"] == true);
  CHECK(record["agreements"][0]["weights_equal"] == true);
  const auto& losses = record["runs"][1]["losses"];
  CHECK(record["runs"][2]["losses"] == nlohmann::ordered_json({losses[0], losses[1]}));
}

TEST_CASE("compare draws its figures and a page", "[compare]") {
  const CompareFixture fixture;
  const std::string figures = fixture.folder.file("new/it's figures");
  std::string quoted = figures;  // run_program quotes like a shell
  quoted.replace(quoted.find('\''), 1, "'\\''");
  const ProgramRun run =
      fixture.compare({"--devices", "cpu", "--batch-sizes", "16", "--plot", quoted});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(read_file(figures + "/training-time.svg"), Catch::Contains("</svg>"));
  CHECK_THAT(read_file(figures + "/compare.html"), Catch::Contains("</html>"));
  if (std::system("command -v rsvg-convert >/dev/null") == 0) {
    CHECK_THAT(read_file(figures + "/training-time.png"), Catch::StartsWith("\x89PNG"));
  }
}

TEST_CASE("an interrupted comparison continues with the missing runs", "[compare]") {
  const CompareFixture fixture;
  const std::string json = fixture.folder.file("compare.json");
  const auto record = [&] { return nlohmann::ordered_json::parse(read_file(json)); };
  REQUIRE(
      fixture.compare({"--devices", "cpu", "--batch-sizes", "16,32", "--json", json}).exit_code ==
      0);
  const auto before = record();
  CHECK(before["complete"] == true);

  // As if killed during the second run.
  auto cut = before;
  cut["runs"].erase(1);
  cut["complete"] = false;
  std::ofstream(json) << cut.dump();
  const ProgramRun run = fixture.compare(
      {"--devices", "cpu", "--batch-sizes", "16,32,64", "--json", json, "--resume"});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.errors, Catch::Contains("1 of 3") && Catch::Contains("recorded already"));
  const auto after = record();
  REQUIRE(after["runs"].size() == 3);
  CHECK(after["runs"][0] == before["runs"][0]);  // including measured times: it was not rerun
  CHECK(after["runs"][1]["losses"] == before["runs"][1]["losses"]);
  CHECK(after["runs"][2]["config"]["batch_size"] == 64);
  CHECK(after["complete"] == true);

  // Another seed is another run.
  REQUIRE(fixture
              .compare({"--devices", "cpu", "--batch-sizes", "16", "--json", json, "--resume",
                        "--seed", "2"})
              .exit_code == 0);
  CHECK(record()["runs"].size() == 4);
}

// As of a GPU that another machine has.
TEST_CASE("a comparison goes on from a record of other devices, and shows them", "[compare]") {
  const CompareFixture fixture;
  const std::string json = fixture.folder.file("compare.json");
  const std::string page = fixture.folder.file("page");
  REQUIRE(fixture.compare({"--devices", "cpu", "--batch-sizes", "16", "--json", json}).exit_code ==
          0);
  const auto before = nlohmann::ordered_json::parse(read_file(json));
  const ProgramRun run = fixture.compare(
      {"--devices", "model", "--batch-sizes", "16", "--json", json, "--resume", "--plot", page});
  INFO(run.errors);
  REQUIRE(run.exit_code == 0);
  const auto after = nlohmann::ordered_json::parse(read_file(json));
  REQUIRE(after["runs"].size() == 2);
  CHECK(after["runs"][0] == before["runs"][0]);
  CHECK(after["runs"][1]["config"]["device"] == "model");
  CHECK_THAT(read_file(page + "/compare.html"),
             Catch::Contains("cpu, 1 thread, fp32") && Catch::Contains("model, 16 x 16"));
}

TEST_CASE("compare refuses to resume another file or another comparison", "[compare]") {
  const CompareFixture fixture;
  const std::string json = fixture.folder.file("compare.json");
  check_refused(fixture.compare({"--devices", "cpu", "--resume"}), 2, "--resume needs the --json");
  std::ofstream(json) << "{";
  check_refused(fixture.compare({"--devices", "cpu", "--json", json, "--resume"}), 1, "not JSON");
  REQUIRE(fixture.compare({"--devices", "cpu", "--batch-sizes", "16", "--json", json}).exit_code ==
          0);
  check_refused(
      fixture.compare({"--devices", "cpu", "--json", json, "--resume", "--test-samples", "3"}), 1,
      "'test_samples' is 20, not 3");
}

TEST_CASE("a failed run does not stop the others", "[compare]") {
  const CompareFixture fixture;
  const std::string json = fixture.folder.file("compare.json");
  // A learning rate far too high: the loss becomes infinite, which ends that run.
  const ProgramRun run =
      fixture.compare({"--devices", "cpu", "--batch-sizes", "64,4", "--optimizer", "sgd",
                       "--learning-rate", "1e18", "--epochs", "3", "--json", json});
  INFO(run.errors);
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::Contains("failed") && Catch::Contains("--resume"));
  const auto record = nlohmann::ordered_json::parse(read_file(json));
  CHECK(record["complete"] == false);
  CHECK(record["failed"].size() + record["runs"].size() == 2);
  CHECK(record["failed"].size() >= 1);
  CHECK_THAT(record["failed"][0]["reason"].get<std::string>(), Catch::Contains("loss"));
}

TEST_CASE("compare refuses invalid devices, sizes and folders", "[compare]") {
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

}  // namespace systole::tests
