// `systole train`, run as a user runs it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "host/device/device.h"
#include "tests/cli/systole_runs.h"
#include "tests/data/idx_files.h"
#include "tests/support/check_refused.h"

namespace systole::tests {
namespace {

// 70 + 20 images: with batches of 32 the last batch has 6.
struct TrainFixture {
  TemporaryFolder folder;

  TrainFixture() { write_small_mnist(folder.file("data"), 70, 20); }

  Words words(const Words& more) const {
    return joined({"train", "mnist-mlp", "--dataset", "mnist", "--data-dir", folder.file("data")},
                  more);
  }
  ProgramRun train(const Words& more) const { return run_program(words(more)); }
  nlohmann::ordered_json record(const Words& more) const {
    return recorded(words(more), folder.file("run.json"));
  }
};

}  // namespace

TEST_CASE("train learns and shows its progress", "[train]") {
  const TrainFixture fixture;
  const ProgramRun run = fixture.train({"--device", "cpu", "--batch-size", "32", "--epochs", "8"});
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.output, Catch::Contains("784-512-10") && Catch::Contains("measured") &&
                             Catch::Contains("407050 trained"));
  CHECK_THAT(run.errors, Catch::Contains("Epoch 8/8") && Catch::Contains("3/3 - "));
}

TEST_CASE("train says if it cannot keep what it finds out about programs", "[train]") {
  const TrainFixture fixture;
  const Words words = fixture.words({"--device", "model", "--array", "4", "--batch-size", "4",
                                     "--steps-per-epoch", "1", "--test-samples", "1"});
  const auto run = [&](const std::string& cache) {
    return run_words(joined({"env", "SYSTOLE_CACHE_DIR=" + cache, SYSTOLE_PROGRAM}, words));
  };
  if (run_program({"devices"}).output.find("model") == std::string::npos) return;
  const ProgramRun without = run(fixture.folder.file("data") + "/train-images-idx3-ubyte/x");
  INFO(without.errors);
  CHECK(without.exit_code == 0);
  CHECK_THAT(without.errors, Catch::Contains("note: ") && Catch::Contains("cannot be written"));
  CHECK_THAT(run("/dev/null").errors, !Catch::Contains("note: "));
}

TEST_CASE("train's record has its keys in the documented order", "[train]") {
  const auto record = TrainFixture().record(
      {"--device", "cpu", "--batch-size", "32", "--epochs", "2", "--steps-per-epoch", "2"});
  Words keys;
  for (const auto& item : record.items()) keys.push_back(item.key());
  CHECK(keys == Words{"command",
                      "schema",
                      "model",
                      "dataset",
                      "config",
                      "machine",
                      "samples",
                      "parameter_count",
                      "cycles",
                      "macs",
                      "utilization",
                      "stalls",
                      "busy",
                      "device_seconds",
                      "actions",
                      "cores",
                      "wall_seconds",
                      "host_seconds",
                      "programs_per_step",
                      "host_share",
                      "executions",
                      "first_host_seconds",
                      "first_step_seconds",
                      "later_step_seconds",
                      "fastest_tenth_step_seconds",
                      "fastest_tenth_host_seconds",
                      "fastest_tenth_input_seconds",
                      "infeed_bytes",
                      "infeed_seconds",
                      "energy",
                      "epochs",
                      "losses",
                      "stopped",
                      "test_loss",
                      "accuracy",
                      "peak_memory_bytes",
                      "check",
                      "result_checksum"});
  CHECK(record["losses"].size() == 4);
  CHECK(record["epochs"].size() == 2);
  // Forward and dW of both layers, dX of the second.
  CHECK(record["macs"] == 4 * 32 * (2 * 784 * 512 + 3 * 512 * 10));
  CHECK(record["config"]["learning_rate"] == 0.001);
  CHECK(record["result_checksum"].get<std::string>().size() == 16);
}

TEST_CASE("train spreads batches over cores, and records the cycles of each", "[train]") {
  const TrainFixture fixture;
  const auto train = [&](const std::string& cores) {
    return fixture.record({"--device", "model", "--array", "4", "--batch-size", "32",
                           "--steps-per-epoch", "1", "--cores", cores});
  };
  const auto one = train("1"), two = train("2");
  CHECK(one["cores"]["count"] == 1);
  CHECK(one["cores"]["cycles"][0] == one["cycles"]);
  CHECK(one["cores"]["linked"] == false);
  CHECK(two["cores"]["linked"] == true);
  CHECK(two["cores"]["count"] == 2);
  CHECK(two["cores"]["ranks"] == 1);
  REQUIRE(two["cores"]["cycles"].size() == 2);
  const std::uint64_t slowest = two["cores"]["slowest_cycles"];
  CHECK(slowest >= two["cores"]["cycles"][1].get<std::uint64_t>());
  // Half of the rows each, but both update all weights, and sum them over the link.
  CHECK(slowest < 2 * one["cycles"].get<std::uint64_t>());
  CHECK(two["macs"] == one["macs"]);
  CHECK(two["device_seconds"] == Approx(static_cast<double>(slowest) / 200e6));
  REQUIRE(two["cores"]["link_wait_cycles"].size() == 2);
  CHECK(two["cores"]["link_wait_cycles"][0] > 0);
  CHECK(two["cores"]["busy_share"] < 1);
  check_refused(fixture.train({"--cores", "1025"}), 2, "1025 cores: the number must be 1 to 1024");
  check_refused(fixture.train({"--cores", "0"}), 2, "--cores");
}

TEST_CASE("train runs a compiled step a launch, or as many as it is told", "[train]") {
  const TrainFixture fixture;
  const auto train = [&](const Words& more) {
    return fixture.record(joined({"--device", "model", "--array", "16", "--batch-size", "16",
                                  "--steps-per-epoch", "4", "--optimizer", "sgd"},
                                 more));
  };
  const auto one = train({});
  const auto four = train({"--steps-per-execution", "4"});
  const auto on_two = train({"--steps-per-execution", "4", "--cores", "2"});
  CHECK(one["programs_per_step"] == 1);
  CHECK(four["programs_per_step"] == 0.25);
  CHECK(on_two["programs_per_step"] == 0.5);  // one a core and launch
  CHECK(four["config"]["steps_per_execution"] == 4);
  CHECK(one["config"]["steps_per_execution"] == 1);
  CHECK(four["host_share"] > 0);
  CHECK(four["infeed_bytes"] == one["infeed_bytes"]);
  // bf16 pixels and i32 labels, each with room after it.
  CHECK(four["infeed_bytes"] >= 4 * 16 * (2 * 784 + 4));
  const auto& link = four["config"]["host_link"];
  const double bits = 8 * four["infeed_bytes"].get<double>();
  CHECK(four["infeed_seconds"] == Approx(bits / (1e9 * link["gbit_per_second"].get<double>()) +
                                         4e-6 * link["latency_us"].get<double>()));
  CHECK(four["fastest_tenth_input_seconds"] > 0);
  CHECK(four["busy"]["vector"] > 0);
  CHECK(four["busy"]["array"] < four["cycles"]);
  CHECK(four["losses"] == one["losses"]);
  CHECK(four["result_checksum"] == one["result_checksum"]);
  const auto cpu = fixture.record({"--device", "cpu", "--batch-size", "16", "--steps-per-epoch",
                                   "4", "--optimizer", "sgd", "--steps-per-execution", "4"});
  CHECK(four["macs"] == cpu["macs"]);
  CHECK(cpu["infeed_bytes"] == 0);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto expected = Approx(cpu["losses"][i].get<double>()).epsilon(0.01);
    CHECK(four["losses"][i].get<double>() == expected);
    CHECK(on_two["losses"][i].get<double>() == expected);
  }
  check_refused(fixture.train({"--device", "cpu", "--precision", "bf16"}), 2,
                "device 'cpu' computes steps in fp32, not bf16");
  check_refused(fixture.train({"--steps-per-execution", "0"}), 2, "--steps-per-execution");
}

TEST_CASE("train repeats for a seed", "[train]") {
  const TrainFixture fixture;
  const auto result = [&](const std::string& seed) {
    const auto record = fixture.record({"--device", "cpu", "--batch-size", "32", "--seed", seed});
    return std::pair(record["losses"], record["result_checksum"]);
  };
  CHECK(result("1") == result("1"));
  CHECK(result("1").first != result("2").first);
}

TEST_CASE("train learns the ten patterns with either optimizer", "[train]") {
  const TrainFixture fixture;
  const std::string optimizer = GENERATE("adam", "sgd");
  const auto record = fixture.record(
      {"--device", "cpu", "--batch-size", "16", "--epochs", "10", "--optimizer", optimizer});
  CAPTURE(optimizer, record["accuracy"]);
  CHECK(record["accuracy"] >= 0.8);
  CHECK(record["config"]["optimizer"] == optimizer);
}

TEST_CASE("train gives the same bits on every bit-exact device", "[train]") {
  const TrainFixture fixture;
  const Words devices{"model", "rtl"};
  std::vector<nlohmann::ordered_json> records;
  for (const std::string& device : devices) {
    if (!has_device(device)) return;
    records.push_back(fixture.record({"--device", device, "--precision", "bf16", "--batch-size",
                                      "16", "--steps-per-epoch", "2", "--test-samples", "1"}));
  }
  CHECK(records[0]["losses"] == records[1]["losses"]);
  CHECK(records[0]["result_checksum"] == records[1]["result_checksum"]);
  CHECK(records[0]["cycles"] == records[1]["cycles"]);
}

TEST_CASE("train refuses unknown names and lists the known ones", "[train]") {
  const TrainFixture fixture;
  check_refused(run_program({"train", "resnet"}), 2, "choose from mnist-mlp");
  check_refused(run_program({"train"}), 2, "model is required");
  check_refused(run_program({"train", "mnist-mlp", "--dataset", "cifar"}), 2,
                "fashion-mnist, mnist");
  check_refused(fixture.train({"--device", "gpu"}), 2, "unknown device 'gpu': this build has cpu");
  check_refused(fixture.train({"--precision", "fp8"}), 2, "unknown type 'fp8'");
  check_refused(fixture.train({"--optimizer", "lamb"}), 2, "choose from adam, adamw, sgd");
  check_refused(fixture.train({"--colour", "red"}), 2, "--colour");
}

TEST_CASE("train refuses sizes that are zero, negative, fractional or too many", "[train]") {
  const TrainFixture fixture;
  for (const char* option : {"--batch-size", "--epochs", "--steps-per-epoch", "--threads",
                             "--array", "--test-samples"}) {
    for (const char* value : {"0", "-1", "1.5", "many"}) {
      check_refused(fixture.train({option, value}), 2, option);
    }
  }
  for (const char* rate : {"0", "-0.1", "nan", "inf", "fast"}) {
    check_refused(fixture.train({"--learning-rate", rate}), 2, "--learning-rate");
  }
  check_refused(fixture.train({"--device", "cpu", "--batch-size", "32", "--steps-per-epoch", "4"}),
                2, "an epoch of 70 samples has 3 batches of 32");
}

TEST_CASE("train refuses data that is missing or damaged, and writes nothing", "[train]") {
  const TrainFixture fixture;
  const Words json{"--device", "cpu", "--json", fixture.folder.file("run.json")};
  const std::string labels = fixture.folder.file("data/train-labels-idx1-ubyte");
  std::filesystem::resize_file(labels, 40);
  check_refused(fixture.train(json), 1, labels + ": cut off");
  std::filesystem::remove(labels);
  check_refused(fixture.train(json), 1, "scripts/fetch_data mnist");
  CHECK(fixture.folder.names() == Words{"data"});
}

TEST_CASE("train refuses a record that cannot be written, before it trains", "[train]") {
  const TrainFixture fixture;
  check_refused(fixture.train({"--device", "cpu", "--json", fixture.folder.file("no/run.json")}), 1,
                "cannot write");
}

TEST_CASE("train stops when its loss is not a number, and writes nothing", "[train]") {
  const TrainFixture fixture;
  const ProgramRun run = fixture.train({"--device", "cpu", "--batch-size", "32", "--learning-rate",
                                        "1e30", "--json", fixture.folder.file("run.json")});
  CHECK(run.exit_code == 1);
  CHECK_THAT(run.errors, Catch::Contains("epoch 1, step 2: lower the learning rate"));
  CHECK(fixture.folder.names() == Words{"data"});
}

}  // namespace systole::tests
