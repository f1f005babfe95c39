// How `systole train` judges, ends, saves and resumes a run, as a user asks for it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/data/idx_files.h"
#include "tests/host/run_program.h"

namespace systole::tests {
namespace {

using Words = std::vector<std::string>;

// 70 + 20 images: three steps of 32 an epoch.
struct FitFixture {
  TemporaryFolder folder;

  FitFixture() { write_small_mnist(folder.path() + "/data", 70, 20); }

  ProgramRun train(const Words& more) const {
    Words words{"train",    "mnist-mlp", "--dataset", "mnist", "--data-dir", folder.file("data"),
                "--device", "cpu",       "--threads", "1"};
    if (std::ranges::find(more, "--batch-size") == more.end()) {
      words.insert(words.end(), {"--batch-size", "32"});
    }
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  }
  nlohmann::json record(Words more) const {
    more.insert(more.end(), {"--json", folder.file("run.json")});
    const ProgramRun run = train(more);
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return nlohmann::json::parse(read_file(folder.file("run.json")));
  }
  void check_refused(const Words& words, int exit_code, const std::string& text) const {
    const ProgramRun run = train(words);
    INFO(run.errors);
    CHECK(run.exit_code == exit_code);
    CHECK(std::ranges::count(run.errors, '\n') == 1);
    CHECK_THAT(run.errors, Catch::StartsWith("systole: ") && Catch::Contains(text));
  }
};

}  // namespace

TEST_CASE("train validates when it is asked to", "[fit_options]") {
  const FitFixture fixture;
  const auto record = fixture.record({"--epochs", "4", "--validation-freq", "2"});
  const auto& epochs = record["epochs"];
  CHECK(epochs[0]["val_loss"].is_null());
  CHECK(epochs[1]["val_accuracy"].is_number());
  CHECK(epochs[3]["val_loss"] == record["test_loss"]);
  CHECK(epochs[3]["val_accuracy"] == record["accuracy"]);
  CHECK(record["losses"] == fixture.record({"--epochs", "4"})["losses"]);
}

TEST_CASE("train stops early, and writes a CSV log", "[fit_options]") {
  const FitFixture fixture;
  const std::string csv = fixture.folder.file("log.csv");
  const auto record = fixture.record({"--epochs", "40", "--early-stopping", "2", "--min-delta",
                                      "0.2", "--restore-best", "--csv", csv});
  const std::size_t epochs = record["epochs"].size();
  CHECK(epochs < 40);
  CHECK_THAT(record["stopped"].get<std::string>(), Catch::Contains("val_loss was best in epoch"));
  CHECK(record["test_loss"] == record["epochs"][epochs - 3]["val_loss"]);
  const std::string text = read_file(csv);
  CHECK(std::ranges::count(text, '\n') == static_cast<std::int64_t>(epochs + 1));
}

TEST_CASE("a resumed run gives the losses and weights of an unbroken one", "[fit_options]") {
  const FitFixture fixture;
  const std::string file = fixture.folder.file("run.safetensors");
  const auto whole = fixture.record({"--epochs", "3", "--augment", "flip,crop"});
  fixture.record({"--epochs", "1", "--augment", "flip,crop", "--checkpoint", file});
  const auto resumed =
      fixture.record({"--epochs", "3", "--augment", "flip,crop", "--resume", file});
  CHECK(resumed["losses"] == whole["losses"]);
  CHECK(resumed["result_checksum"] == whole["result_checksum"]);
  CHECK(resumed["config"]["resumed"] == true);
  CHECK(resumed["macs"].get<std::int64_t>() * 3 == whole["macs"].get<std::int64_t>() * 2);
}

TEST_CASE("train refuses a checkpoint of another run, saying what differs", "[fit_options]") {
  const FitFixture fixture;
  const std::string file = fixture.folder.file("run.safetensors");
  fixture.record({"--checkpoint", file});
  const auto refused = [&](Words words, const std::string& text) {
    words.insert(words.end(), {"--resume", file, "--epochs", "2"});
    fixture.check_refused(words, 1, text);
  };
  refused({"--batch-size", "16"}, "batch_size '32', this one '16'");
  refused({"--precision", "bf16"}, "precision 'fp32', this one 'bf16'");
  refused({"--optimizer", "sgd"}, "this one 'sgd");
  refused({"--seed", "2"}, "seed '1', this one '2'");
  refused({"--normalize", "standard"}, "normalization 'scale', this one 'standard'");
  refused({"--steps-per-epoch", "2"}, "3 steps, this run's 2");
  fixture.check_refused({"--resume", file}, 1, "all 1 epochs are done already");
  std::filesystem::resize_file(file, 1000);
  refused({}, file + ": cut off after");
  fixture.check_refused({"--resume", fixture.folder.file("none")}, 1, "none: no such file");
}

TEST_CASE("train refuses options that do not go together, or that there are not", "[fit_options]") {
  const FitFixture fixture;
  fixture.check_refused({"--checkpoint-every", "3"}, 2, "no --checkpoint");
  fixture.check_refused({"--restore-best"}, 2, "--early-stopping");
  fixture.check_refused({"--min-delta", "0.1"}, 2, "--early-stopping");
  fixture.check_refused({"--early-stopping", "1", "--monitor", "bleu"}, 2, "choose from loss");
  fixture.check_refused({"--checkpoint", "a", "--save-best", "a"}, 2, "different files");
  fixture.check_refused({"--augment", "flip,turn"}, 2, "there is no 'turn'");
  fixture.check_refused({"--normalize", "log"}, 2, "--normalize");
  for (const char* option : {"--validation-freq", "--early-stopping", "--checkpoint-every"}) {
    for (const char* value : {"0", "-1", "1.5", "many"}) {
      fixture.check_refused({option, value}, 2, option);
    }
  }
  for (const char* value : {"-1", "nan", "much"}) {
    fixture.check_refused({"--min-delta", value}, 2, "--min-delta");
  }
}

TEST_CASE("train refuses files that cannot be written, before it trains", "[fit_options]") {
  const FitFixture fixture;
  const std::string file = fixture.folder.file("no/file");
  fixture.check_refused({"--checkpoint", file}, 1, "cannot write " + file);
  fixture.check_refused({"--save-best", file}, 1, "cannot write " + file);
  fixture.check_refused({"--csv", file}, 1, "cannot write " + file);
}

}  // namespace systole::tests
