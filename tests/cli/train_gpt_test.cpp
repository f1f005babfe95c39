// `systole train gpt-words` and `generate`, run as a user runs them, on a list that the test
// writes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/cli/systole_runs.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

// Words of consonants and vowels in turn.
struct WordsFixture {
  TemporaryFolder folder;

  WordsFixture() {
    std::ofstream file(folder.file("american-english"));
    for (const char a : {'b', 'd', 'k', 'm', 't'}) {
      for (const char b : {'a', 'e', 'o'}) {
        for (const char c : {'l', 'n', 'r', 's'}) {
          for (const char d : {'a', 'i'}) file << a << b << c << d << "\n";
        }
      }
    }
  }

  Words words(const Words& more) const {
    return joined({"train", "gpt-words", "--data-dir", folder.path(), "--context", "8"}, more);
  }
  nlohmann::ordered_json record(const Words& more) const {
    return recorded(words(more), folder.file("run.json"));
  }
};

}  // namespace

TEST_CASE("train gpt-words learns to spell, and generate prints words as it was trained on",
          "[train_gpt]") {
  const WordsFixture fixture;
  const std::string checkpoint = fixture.folder.file("gpt.safetensors");
  // Ten epochs: a network of this size learns the words by heart in forty, and spells no others.
  const auto record =
      fixture.record({"--device", "cpu", "--epochs", "10", "--batch-size", "8", "--optimizer",
                      "adamw", "--learning-rate", "0.003", "--clip-norm", "1", "--schedule",
                      "cosine:90:0.1:10", "--checkpoint", checkpoint});
  CHECK(record["model"] == "gpt-words");
  CHECK(record["dataset"] == "words");
  CHECK(record["config"]["context"] == 8);
  CHECK(record["config"]["optimizer"] == "adamw");
  CHECK(record["losses"].back().get<double>() < 0.5 * record["losses"].front().get<double>());
  CHECK(record["test_loss"].get<double>() < 1.5);
  const auto generate = [&](const Words& more) {
    const ProgramRun run =
        run_program(joined({"generate", "--checkpoint", checkpoint, "--count", "12"}, more));
    INFO(run.errors);
    CHECK(run.exit_code == 0);
    return run.output;
  };
  const std::string output = generate({});
  std::istringstream lines(output);
  int count = 0, right = 0;
  for (std::string word; std::getline(lines, word); ++count) {
    const auto is_vowel = [&](std::size_t i) {
      return std::string("aeoi").find(word[i]) != std::string::npos;
    };
    right += word.size() == 4 && !is_vowel(0) && is_vowel(1) && !is_vowel(2) && is_vowel(3);
  }
  CHECK(count == 12);
  CHECK(right >= 8);
  CHECK(generate({}) == output);
  CHECK(generate({"--seed", "2"}) != output);
}

TEST_CASE("train gpt-words resumes with the losses and weights of a run without a break",
          "[train_gpt]") {
  const WordsFixture fixture;
  const auto on = [&](const std::string& device, const Words& more) {
    return fixture.record(joined({"--device", device, "--array", "4", "--steps-per-epoch", "1",
                                  "--batch-size", "2", "--test-samples", "2"},
                                 more));
  };
  if (!has_device("model")) return;
  const std::string part = fixture.folder.file("part.safetensors");
  const auto whole = on("model", {"--epochs", "2"});
  on("model", {"--epochs", "1", "--checkpoint", part});
  const auto resumed = on("model", {"--epochs", "2", "--resume", part});
  CHECK(resumed["losses"] == whole["losses"]);
  CHECK(resumed["result_checksum"] == whole["result_checksum"]);
}

TEST_CASE("train and generate refuse what gpt-words does not take", "[train_gpt]") {
  const WordsFixture fixture;
  check_refused(run_program(fixture.words({"--augment", "flip"})), 2, "changes images");
  check_refused(run_program({"train", "mnist-mlp", "--context", "8"}), 2,
                "no context of characters");
  const ProgramRun run = run_program({"generate", "--checkpoint", fixture.folder.file("none")});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::Contains("none"));
}

}  // namespace systole::tests
