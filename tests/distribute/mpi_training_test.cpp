// `mpirun ... systole train`: one training in several processes.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/data/idx_files.h"
#include "tests/distribute/mpirun.h"

namespace systole::tests {
namespace {

// 70 + 20 images: with batches of 32 the last batch has 6.
struct Fixture {
  TemporaryFolder folder;

  Fixture() { write_small_mnist(folder.path() + "/data", 70, 20); }

  std::vector<std::string> words(std::vector<std::string> more) const {
    std::vector<std::string> all{"train",    "mnist-mlp", "--dataset",    "mnist",
                                 "--device", "cpu",       "--batch-size", "32",
                                 "--epochs", "2",         "--data-dir",   folder.path() + "/data"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  nlohmann::json record(int ranks, std::vector<std::string> words) const {
    words.insert(words.end(), {"--json", folder.file("run.json")});
    const ProgramRun run = ranks == 1 ? run_program(words) : mpirun(ranks, SYSTOLE_PROGRAM, words);
    INFO(run.errors);
    REQUIRE(run.exit_code == 0);
    return nlohmann::json::parse(read_file(folder.file("run.json")));
  }
};

/// A variable of the programs that a test runs, for the life of the object.
class SetVariable {
 public:
  SetVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~SetVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  SetVariable(const SetVariable&) = delete;
  SetVariable& operator=(const SetVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

}  // namespace

TEST_CASE("processes train as the cores of one process do, to the bit", "[mpi]") {
  const Fixture fixture;
  const auto four = fixture.record(1, fixture.words({"--cores", "4"}));
  const auto two_by_two = fixture.record(2, fixture.words({"--cores", "2"}));
  CHECK(two_by_two["losses"] == four["losses"]);
  CHECK(two_by_two["result_checksum"] == four["result_checksum"]);
  CHECK(two_by_two["accuracy"] == four["accuracy"]);
  CHECK(four["cores"]["ranks"] == 1);
  CHECK(two_by_two["cores"]["ranks"] == 2);
  CHECK(two_by_two["cores"]["count"] == 4);
  CHECK(two_by_two["macs"] == four["macs"]);
}

TEST_CASE("processes are one line of cores, with the clocks of one process", "[mpi]") {
  const Fixture fixture;
  const auto record = [&](int ranks) {
    const TemporaryFolder cache;  // so that each counts the clocks itself
    const SetVariable set("SYSTOLE_CACHE_DIR", cache.path());
    auto words = fixture.words({"--cores", std::to_string(2 / ranks), "--steps-per-epoch", "1"});
    words[5] = "model";
    words[7] = "4";  // samples
    words[9] = "1";  // epoch
    return fixture.record(ranks, words);
  };
  const auto one = record(1), two = record(2);
  CHECK(two["cores"]["ranks"] == 2);
  CHECK(two["cores"]["linked"] == true);
  CHECK(two["losses"] == one["losses"]);
  CHECK(two["result_checksum"] == one["result_checksum"]);
  CHECK(two["cores"]["cycles"] == one["cores"]["cycles"]);
  CHECK(two["cores"]["link_wait_cycles"] == one["cores"]["link_wait_cycles"]);
}

TEST_CASE("one process prints for all", "[mpi]") {
  const Fixture fixture;
  const ProgramRun run = mpirun(2, SYSTOLE_PROGRAM, fixture.words({}));
  CAPTURE(run.output, run.errors);
  CHECK(run.exit_code == 0);
  const auto count = [](const std::string& text, const std::string& word) {
    int times = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      ++times;
    }
    return times;
  };
  CHECK(count(run.output, "checksum") == 1);
  CHECK(count(run.output, "2 in 2 ranks") == 1);
  CHECK(count(run.errors, "Epoch 2/2") == 1);
}

TEST_CASE("processes started with different options stop", "[mpi]") {
  const Fixture fixture;
  const std::string script = fixture.folder.file("rank");
  const std::string own =
      std::string("exec '") + SYSTOLE_PROGRAM + "' \"$@\" --seed $((1 + OMPI_COMM_WORLD_RANK))\n";
  write_bytes(script, std::vector<std::uint8_t>(own.begin(), own.end()));
  auto words = fixture.words({});
  words.insert(words.begin(), script);
  const ProgramRun run = mpirun(2, "/bin/sh", words);
  CAPTURE(run.errors);
  CHECK(run.exit_code != 0);
  CHECK(run.exit_code != 124);
  CHECK_THAT(run.errors, Catch::Contains("the model differs between ranks"));
}

TEST_CASE("a process that dies during training ends the training", "[mpi]") {
  const Fixture fixture;
  const std::string script = fixture.folder.file("rank");
  const std::string own = std::string(
                              "test $OMPI_COMM_WORLD_RANK = 1 && (sleep 3; kill -9 $$) &\n"
                              "exec '") +
                          SYSTOLE_PROGRAM + "' \"$@\"\n";
  write_bytes(script, std::vector<std::uint8_t>(own.begin(), own.end()));
  auto words = fixture.words({});
  words[5] = GENERATE("cpu", "model");
  words[9] = "100000";  // epochs
  words.insert(words.begin(), script);
  const ProgramRun run = mpirun(2, "/bin/sh", words);
  CAPTURE(run.errors);
  CHECK(run.exit_code != 0);
  CHECK(run.exit_code != 124);
  CHECK_THAT(run.errors, Catch::Contains("signal 9"));
}

TEST_CASE("a wrong option is reported once", "[mpi]") {
  const Fixture fixture;
  const ProgramRun run = mpirun(2, SYSTOLE_PROGRAM, fixture.words({"--cores", "2000"}));
  CAPTURE(run.errors);
  CHECK(run.exit_code == 2);
  CHECK_THAT(run.errors, Catch::Contains("systole: 2000 cores: the number must be 1 to 1024"));
}

}  // namespace systole::tests
