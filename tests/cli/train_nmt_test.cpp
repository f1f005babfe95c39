// `systole train nmt`, run as a user runs it, on a small parallel text that the test writes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/cli/systole_runs.h"
#include "tests/data/sentence_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

// 120 pairs.
struct NmtFixture {
  TemporaryFolder folder;

  NmtFixture() { write_small_sentences(folder.file("spa-eng"), 10); }

  // Options in `more` override the defaults.
  Words words(const Words& more) const {
    Words words{"train", "nmt", "--data-dir", folder.path()};
    const std::pair<const char*, const char*> defaults[] = {{"--sentences", "100"},
                                                            {"--test-samples", "20"},
                                                            {"--units", "16"},
                                                            {"--batch-size", "10"}};
    for (const auto& [option, value] : defaults) {
      if (std::ranges::find(more, option) == more.end()) words.insert(words.end(), {option, value});
    }
    return joined(words, more);
  }
  ProgramRun train(const Words& more) const { return run_program(words(more)); }
  nlohmann::ordered_json record(const Words& more) const {
    return recorded(words(more), folder.file("run.json"));
  }
};

}  // namespace

TEST_CASE("train nmt learns to translate held-out sentences", "[train_nmt]") {
  const NmtFixture fixture;
  const ProgramRun run = fixture.train(
      {"--device", "cpu", "--epochs", "30", "--learning-rate", "0.01", "--examples", "2"});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("100 Spanish training sentences") &&
                             Catch::Contains("20 held out") && Catch::Contains("BLEU-4") &&
                             Catch::Contains("measured"));
  const auto translation = [&](std::size_t from) {
    const auto line = [&](const std::string& key) {
      const std::size_t start = run.output.find(key, from) + 17;
      return run.output.substr(start, run.output.find('\n', start) - start);
    };
    return std::pair(line("  reference "), line("  translation "));
  };
  const std::size_t first = run.output.find("\nsource ");
  REQUIRE(first != std::string::npos);
  const auto [reference, translated] = translation(first);
  CHECK(translated == reference);
  CHECK_THAT(reference, Catch::StartsWith("i "));
}

TEST_CASE("train nmt's record repeats for a seed and holds the translations", "[train_nmt]") {
  const NmtFixture fixture;
  const auto result = [&](const std::string& seed) {
    return fixture.record({"--device", "cpu", "--epochs", "2", "--seed", seed});
  };
  const auto first = result("1");
  CHECK(first["command"] == "train");
  CHECK(first["model"] == "nmt");
  CHECK(first["dataset"] == "spa-eng");
  CHECK(first["losses"].size() == 20);
  CHECK(first["config"]["sentences"] == 100);
  CHECK(first["config"]["units"] == 16);
  CHECK(first["translations"].size() == 20);
  CHECK(first["translations"][0].size() == 3);
  CHECK(first["bleu"].get<double>() >= 0);
  const auto again = result("1");
  CHECK(again["losses"] == first["losses"]);
  CHECK(again["result_checksum"] == first["result_checksum"]);
  CHECK(again["translations"] == first["translations"]);
  CHECK(result("2")["losses"] != first["losses"]);
}

TEST_CASE("train nmt gives the same bits on every bit-exact device", "[train_nmt]") {
  const NmtFixture fixture;
  std::vector<nlohmann::ordered_json> records;
  for (const char* device : {"model", "rtl"}) {
    if (!has_device(device)) return;
    records.push_back(fixture.record({"--device", device, "--array", "4", "--units", "4",
                                      "--steps-per-epoch", "2", "--test-samples", "3"}));
  }
  for (const char* key : {"losses", "result_checksum", "cycles", "bleu", "translations"}) {
    CAPTURE(key);
    CHECK(records[0][key] == records[1][key]);
  }
}

TEST_CASE("train nmt shows a step in a timeline, and its record makes a report", "[train_nmt]") {
  if (run_program({"devices"}).output.find("model") == std::string::npos) return;
  const NmtFixture fixture;
  const std::string timeline = fixture.folder.file("timeline.json");
  const auto record =
      fixture.record({"--device", "model", "--units", "4", "--steps-per-epoch", "2",
                      "--test-samples", "3", "--timeline", timeline, "--timeline-step", "1"});
  const auto shown = nlohmann::json::parse(read_file(timeline));
  const std::uint64_t cycles = shown.at("otherData").at("cycles");
  CHECK(cycles > 0);
  CHECK(cycles < record["cycles"].get<std::uint64_t>());

  const std::string page = fixture.folder.file("page.html");
  const ProgramRun run = run_program({"report", fixture.folder.file("run.json"), "--output", page});
  INFO(run.errors);
  CHECK(run.exit_code == 0);
  CHECK_THAT(read_file(page),
             Catch::Contains("nmt") && Catch::Contains("spa-eng, 100 training samples"));
}

TEST_CASE("train nmt saves a checkpoint that translate uses", "[train_nmt]") {
  const NmtFixture fixture;
  const std::string checkpoint = fixture.folder.file("nmt.safetensors");
  const ProgramRun training = fixture.train(
      {"--device", "cpu", "--epochs", "30", "--learning-rate", "0.01", "--checkpoint", checkpoint});
  INFO(training.errors);
  REQUIRE(training.exit_code == 0);
  const ProgramRun run =
      run_program({"translate", "--checkpoint", checkpoint, "¡Veo 3 árboles.", "Quiero 7 casas."});
  CHECK(run.exit_code == 0);
  CHECK(run.output == "i see 3 trees .\ni want 7 houses .\n");
  check_refused(run_program({"translate", "--checkpoint", checkpoint, " ~ "}), 2, "no words");
  std::filesystem::resize_file(checkpoint, 1000);
  check_refused(run_program({"translate", "--checkpoint", checkpoint, "Veo"}), 1, "cut off");
}

TEST_CASE("train nmt takes a schedule and clips gradients", "[train_nmt]") {
  const NmtFixture fixture;
  const Words start{"--device", "cpu", "--steps-per-epoch", "3"};
  const auto losses = [&](const Words& more) {
    return fixture.record(joined(start, more))["losses"];
  };
  const auto usual = losses({});
  CHECK(losses({"--clip-norm", "1", "--schedule", "constant"}) == usual);
  const auto still = losses({"--schedule", "piecewise:1=0"});
  CHECK(still[1] == usual[1]);
  CHECK(still[2] != usual[2]);
  CHECK(losses({"--clip-norm", "0.001"})[1] != usual[1]);
}

TEST_CASE("train nmt refuses unsupported options and too many sentences", "[train_nmt]") {
  const NmtFixture fixture;
  check_refused(fixture.train({"--dataset", "mnist"}), 2, "unknown dataset 'mnist' for nmt");
  check_refused(fixture.train({"--optimizer", "sgd"}), 2, "unknown optimizer 'sgd' for nmt");
  check_refused(fixture.train({"--precision", "fp8"}), 2, "unknown type 'fp8'");
  check_refused(fixture.train({"--dropout", "0.5"}), 2, "--dropout: nmt has no place for it");
  check_refused(fixture.train({"--sentences", "101"}), 2, "of the 120 pairs");
  check_refused(fixture.train({"--vocabulary", "4"}), 2, "no room for words");
  check_refused(fixture.train({"--units", "0"}), 2, "--units");
  check_refused(fixture.train({"--steps-per-epoch", "11"}), 2, "10 batches of 10");
}

TEST_CASE("train nmt refuses text that is missing or malformed", "[train_nmt]") {
  const NmtFixture fixture;
  std::ofstream(fixture.folder.file("spa-eng/spa.txt"), std::ios::app) << "Go. Ve.\n";
  check_refused(fixture.train({"--device", "cpu"}), 1, "spa.txt:121: it has 0 tabs");
  std::filesystem::remove(fixture.folder.file("spa-eng/spa.txt"));
  check_refused(fixture.train({"--device", "cpu"}), 1, "scripts/fetch_data spa-eng");
}

}  // namespace systole::tests
