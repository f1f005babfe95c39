// How `systole train` evaluates, ends, saves and resumes a run, as a user requests it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

// 70 + 20 images: three steps of 32 an epoch.
struct FitFixture {
  TemporaryFolder folder;

  FitFixture() { write_small_mnist(folder.file("data"), 70, 20); }

  Words words(const Words& more) const {
    Words words{"train",      "mnist-mlp",         "--dataset", "mnist",
                "--data-dir", folder.file("data"), "--threads", "1"};
    if (std::ranges::find(more, "--device") == more.end()) {
      words.insert(words.end(), {"--device", "cpu"});
    }
    if (std::ranges::find(more, "--batch-size") == more.end()) {
      words.insert(words.end(), {"--batch-size", "32"});
    }
    return joined(words, more);
  }
  ProgramRun train(const Words& more) const { return run_program(words(more)); }
  nlohmann::ordered_json record(const Words& more) const {
    return recorded(words(more), folder.file("run.json"));
  }
  void check_refused(const Words& words, const std::string& text) const {
    tests::check_refused(train(words), 2, text);
  }
  void check_failed(const Words& words, const std::string& text) const {
    tests::check_failed(train(words), 1, text);
  }
};

}  // namespace

TEST_CASE("train validates on request", "[fit_options]") {
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

TEST_CASE("a resumed run gives the losses and weights of an uninterrupted one", "[fit_options]") {
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

TEST_CASE("train changes the learning rate by a schedule, and says so", "[fit_options]") {
  const FitFixture fixture;
  const std::string csv = fixture.folder.file("log.csv");
  const auto plain = fixture.record({"--epochs", "2"});
  CHECK(plain["config"]["schedule"] == "constant");
  CHECK(plain["config"]["clip_norm"].is_null());
  CHECK(plain["config"]["dropout"] == 0);
  const auto stopped =
      fixture.record({"--epochs", "2", "--schedule", "piecewise:3=0.5,4=0", "--csv", csv});
  CHECK(stopped["config"]["schedule"] == "piecewise:3=0.5,4=0");
  for (const std::size_t step : {0, 1, 2, 3}) {
    CHECK(stopped["losses"][step] == plain["losses"][step]);
  }
  CHECK(stopped["losses"][4] != plain["losses"][4]);
  CHECK_THAT(read_file(csv), Catch::Contains(",0.001,") && Catch::Contains(",0,"));
  CHECK_THAT(fixture.train({"--schedule", "cosine:6", "--clip-norm", "2"}).output,
             Catch::Contains("adam, learning rate 0.001, cosine:6:0, gradients clipped to 2"));
}

TEST_CASE("train clips gradients and drops out inputs on request", "[fit_options]") {
  const FitFixture fixture;
  const auto plain = fixture.record({"--optimizer", "sgd"});
  CHECK(fixture.record({"--optimizer", "sgd", "--clip-norm", "1e9"})["losses"] == plain["losses"]);
  CHECK(fixture.record({"--dropout", "0", "--optimizer", "sgd"})["losses"] == plain["losses"]);
  const auto clipped = fixture.record({"--optimizer", "sgd", "--clip-norm", "0.125"});
  CHECK(clipped["config"]["clip_norm"] == 0.125);
  CHECK(clipped["losses"][0] == plain["losses"][0]);
  CHECK(clipped["losses"][1] != plain["losses"][1]);
  const auto dropped = fixture.record({"--optimizer", "sgd", "--dropout", "0.3"});
  CHECK(dropped["config"]["dropout"] == 0.3);
  CHECK(dropped["losses"][0] != plain["losses"][0]);
}

TEST_CASE("train refuses a checkpoint of another run, saying what differs", "[fit_options]") {
  const FitFixture fixture;
  const std::string file = fixture.folder.file("run.safetensors");
  fixture.record({"--checkpoint", file});
  const auto refused = [&](Words words, const std::string& text) {
    words.insert(words.end(), {"--resume", file, "--epochs", "2"});
    fixture.check_failed(words, text);
  };
  refused({"--batch-size", "16"}, "batch_size '32', this one '16'");
  refused({"--device", "model"}, "precision 'fp32', this one 'bf16'");
  refused({"--optimizer", "sgd"}, "this one 'sgd");
  refused({"--schedule", "cosine:9"}, "schedule 'constant', this one 'cosine:9:0'");
  refused({"--clip-norm", "0.5"}, "clip_norm 'none', this one '0.5'");
  refused({"--dropout", "0.5"}, "Dropout(0.5)");
  refused({"--seed", "2"}, "seed '1', this one '2'");
  refused({"--normalize", "standard"}, "normalization 'scale', this one 'standard'");
  refused({"--steps-per-epoch", "2"}, "3 steps, this run's 2");
  fixture.check_failed({"--resume", file}, "all 1 epochs are done already");
  const std::string whole = read_file(file);
  std::string flipped = whole;
  flipped[flipped.size() - 100] ^= 1;
  std::ofstream(file, std::ios::binary) << flipped;
  refused({}, file + ": damaged");
  std::filesystem::resize_file(file, 1000);
  refused({}, file + ": cut off after");
  fixture.check_failed({"--resume", fixture.folder.file("none")}, "none: no such file");
}

TEST_CASE("train refuses options that contradict each other and unknown words", "[fit_options]") {
  const FitFixture fixture;
  fixture.check_refused({"--checkpoint-every", "3"}, "no --checkpoint");
  fixture.check_refused({"--restore-best"}, "--early-stopping");
  fixture.check_refused({"--min-delta", "0.1"}, "--early-stopping");
  fixture.check_refused({"--early-stopping", "1", "--monitor", "bleu"}, "choose from loss");
  fixture.check_refused({"--augment", "flip,turn"}, "unknown word 'turn'");
  fixture.check_refused({"--normalize", "log"}, "--normalize");
  for (const char* option : {"--validation-freq", "--early-stopping", "--checkpoint-every"}) {
    for (const char* value : {"0", "-1", "1.5", "many"}) {
      fixture.check_refused({option, value}, option);
    }
  }
  for (const char* value : {"-1", "nan", "much"}) {
    fixture.check_refused({"--min-delta", value}, "--min-delta");
    fixture.check_refused({"--clip-norm", value}, "--clip-norm");
    fixture.check_refused({"--dropout", value}, "--dropout");
  }
  fixture.check_refused({"--clip-norm", "0"}, "--clip-norm");
  fixture.check_refused({"--dropout", "1"}, "--dropout");
  fixture.check_refused({"--schedule", "linear"}, "choose from constant");
  fixture.check_refused({"--schedule", "cosine:0"}, "the steps of cosine are not >= 1");
}

TEST_CASE("train refuses the options of another model", "[fit_options]") {
  const FitFixture fixture;
  for (const char* option :
       {"--sentences", "--max-words", "--vocabulary", "--units", "--examples"}) {
    fixture.check_refused({option, "5"},
                          std::string(option) + " belongs to nmt; mnist-mlp has no place for it");
  }
  check_refused(run_program({"compare", "mnist-mlp", "--devices", "cpu", "--units", "5"}), 2,
                "--units belongs to nmt");
  for (const Words& option : {Words{"--dropout", "0.5"}, Words{"--augment", "flip"},
                              Words{"--normalize", "standard"}, Words{"--optimizer", "sgd"}}) {
    const ProgramRun run = run_program(joined({"train", "nmt", "--device", "cpu"}, option));
    check_refused(run, 2, option.front().substr(2));
  }
}

TEST_CASE("train lists every model, and says where cores are set", "[fit_options]") {
  check_refused(run_program({"train", "mnist"}), 2, "cifar10-cnn, gpt-words, nmt");
  check_refused(run_program({"inspect", "nmt"}), 2, "choose from mnist-mlp");
  check_refused(run_program({"train", "mnist-mlp", "--device", "model:2"}), 2,
                "name the device alone, model; --cores COUNT sets the number of cores");
  const ProgramRun gemm =
      run_program({"gemm", "--m", "1", "--k", "1", "--n", "1", "--device", "model:2"});
  check_refused(gemm, 2, "name the device alone, model");
  CHECK_THAT(gemm.errors, !Catch::Contains("--cores"));
}

TEST_CASE("train refuses files that cannot be written, before it trains", "[fit_options]") {
  const FitFixture fixture;
  const std::string file = fixture.folder.file("no/file");
  fixture.check_failed({"--checkpoint", file}, "cannot write " + file);
  fixture.check_failed({"--save-best", file}, "cannot write " + file);
  fixture.check_failed({"--csv", file}, "cannot write " + file);
}

}  // namespace systole::tests
