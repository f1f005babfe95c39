#include "host/report/comparison.h"

#include <catch2/catch.hpp>

#include "host/report/clock_shares.h"
#include "host/report/comparison_table.h"
#include "host/report/page.h"
#include "host/report/verdict.h"
#include "tests/report/some_runs.h"

namespace systole::tests {
namespace {

// cpu and model, the device winning where `wins` says.
std::string crossover(const std::vector<bool>& wins) {
  Comparison comparison;
  std::int64_t batch_size = 32;
  for (const bool win : wins) {
    comparison.runs.push_back(some_run("cpu", batch_size));
    comparison.runs.push_back(some_run("model", batch_size));
    if (!win) comparison.runs.back().device_seconds = 1;
    batch_size *= 2;
  }
  return comparison.duels().at(0).crossover();
}

}  // namespace

TEST_CASE("the verdict states the crossover", "[report]") {
  CHECK(crossover({true}) == "The device wins at batch size 32, the only one tried.");
  CHECK(crossover({false, false}) == "The CPU wins at every batch size from 32 to 64.");
  CHECK(crossover({true, true, true}) == "The device wins at every batch size from 32 to 128.");
  CHECK(crossover({false, true, true}) ==
        "The device wins from batch size 64 on; up to 32 the CPU wins.");
  CHECK(crossover({true, true, false}) ==
        "The device wins up to batch size 64; from 128 on the CPU wins.");
  CHECK(crossover({true, false, true}) ==
        "There is no single crossover: the device wins at batch sizes 32, 128, the CPU at batch "
        "size 64.");
}

TEST_CASE("the verdict compares the array's peak with the CPU's measured rate", "[report]") {
  Comparison comparison = some_comparison();
  // 25.6 million multiply-adds a step in 1.5 ms; 2 x 16 x 16 x 100 MHz.
  CHECK(measured_gflops(comparison.runs[0]) == Approx(34.1333));
  CHECK(peak_gflops(comparison.runs[1]) == Approx(51.2));
  const std::string slow = verdicts(comparison).at(0).reasons.at(2);
  CHECK_THAT(slow, Catch::Contains("51.2 GFLOP/s at most") && Catch::Contains("did 34.1 GFLOP/s") &&
                       !Catch::Contains("Even an array"));
  for (RecordedRun& run : comparison.runs) run.macs *= 2;
  CHECK_THAT(verdicts(comparison).at(0).reasons.at(2), Catch::Contains("Even an array"));
  for (RecordedRun& run : comparison.runs) run.macs = 0;  // a framework's CPU
  CHECK_THAT(verdicts(comparison).at(0).reasons.at(2), Catch::EndsWith("(simulated)."));
}

TEST_CASE("a plugin's device has its own name, and is neither the CPU nor clocked", "[report]") {
  auto record = some_record("cpu", 32);
  record["config"]["device"] = "pjrt";
  record["config"]["platform"] = "cuda";
  record["config"]["chip"] = "NVIDIA H200";
  record["config"]["plugin"] = "PJRT 0.112, cuda 13";
  const RecordedRun gpu = read_run(record, "a record");
  CHECK(subject_of(gpu) == "pjrt, NVIDIA H200 (cuda), fp32");
  CHECK(gpu.step_seconds() == 0.002);
  const Comparison comparison{.runs = {gpu, some_run("cpu"), some_run("model")}};
  REQUIRE(comparison.duels().size() == 1);
  CHECK(comparison.duels()[0].rounds[0].cpu->device == "cpu");
  const std::string page = report_page(comparison);
  CHECK_THAT(page, Catch::Contains("measured on NVIDIA H200 (cuda), PJRT 0.112, cuda 13"));
  CHECK_THAT(page, Catch::Contains("--devices pjrt:PATH"));
}

TEST_CASE("the table says who wins at each batch size", "[report]") {
  const std::string table = comparison_table(some_comparison());
  CHECK_THAT(table, Catch::Contains("Batch size 32: the CPU wins, 2.25 times as fast"));
  CHECK_THAT(table, Catch::Contains("Batch size 128: the device wins, 1.33 times as fast"));
}

TEST_CASE("a step waits for a batch that takes longer than the step", "[report]") {
  RecordedRun run = some_run("model");  // 1 ms on the device and 0.5 ms on the host
  CHECK(run.step_seconds() == Approx(1.5e-3));
  run.infeed_seconds = 3 * 1.25e-3;
  CHECK(run.step_seconds() == Approx(1.5e-3));
  run.infeed_seconds = 3 * 2e-3;
  CHECK(run.step_seconds() == Approx(2e-3));
  run.fastest_tenth_input_seconds = 2.5e-3;
  CHECK(run.step_seconds() == Approx(2.5e-3));
  CHECK(run.batch_wait_seconds() == Approx(1e-3));
  double all = 0;
  for (const ClockShare& share : clock_shares(run)) {
    all += share.share;
    if (share.cause == std::string_view("waiting for the batch")) CHECK(share.share == Approx(0.5));
  }
  CHECK(all == Approx(1));
  CHECK(clock_shares(run)[0].share == Approx(0.5));
  const Comparison comparison{.runs = {some_run("cpu"), run}};
  CHECK_THAT(verdicts(comparison).at(0).reasons.at(0),
             Catch::Contains("+ 1.00 ms of waiting for the next batch with the device"));
}

TEST_CASE("the verdict of compiled steps says what binds", "[report]") {
  Comparison comparison{.runs = {some_run("cpu"), some_run("model")}};
  const std::size_t others = verdicts(comparison).at(0).reasons.size();
  RecordedRun& run = comparison.runs[1];
  run.steps_per_execution = 3;
  run.busy = {.array = 150'000, .vector = 60'000, .reads = 210'000, .writes = 3'000};
  run.infeed_seconds = 0.1 * run.device_seconds;
  const auto reason = [&] { return verdicts(comparison).at(0).reasons.at(others); };
  CHECK_THAT(reason(), Catch::Contains("reading memory binds") &&
                           Catch::Contains("takes rows in 50%") && Catch::Contains("in 70%") &&
                           Catch::Contains("on the link for 10%"));
  run.busy->array = 290'000;
  CHECK_THAT(reason(), Catch::Contains("the array binds"));
  run.infeed_seconds = 2 * run.device_seconds;
  CHECK_THAT(reason(), Catch::Contains("the link to the host binds"));
  run.busy.reset();
  CHECK(verdicts(comparison).at(0).reasons.size() == others);
}

TEST_CASE("a busy machine is mentioned, a quiet one is not", "[report]") {
  Comparison comparison{.runs = {some_run("cpu")}};
  CHECK(cautions(comparison).empty());
  comparison.runs[0].wall_seconds *= 2;
  CHECK_THAT(cautions(comparison).at(0), Catch::Contains("busy") && Catch::Contains("2.0 times"));
  comparison.runs.push_back(some_run("model"));
  CHECK_THAT(verdicts(comparison).at(0).headline, Catch::Contains("compare again"));
  comparison.runs[0].wall_seconds /= 2;
  CHECK_THAT(verdicts(comparison).at(0).headline, !Catch::Contains("busy"));
}

TEST_CASE("a failed run is reported with its reason", "[report]") {
  Comparison comparison{.runs = {some_run("cpu")}};
  comparison.failed.push_back({.device = "rtl", .reason = "it hangs", .batch_size = 64});
  CHECK(cautions(comparison).at(0) == "Failed: rtl at batch size 64: it hangs");
}

TEST_CASE("bit-exact devices agree over the steps that both ran", "[report]") {
  Comparison comparison{.runs = {some_run("cpu"), some_run("model"), some_run("rtl")}};
  comparison.runs[2].losses.pop_back();
  REQUIRE(comparison.agreements().size() == 1);
  const Agreement agreement = comparison.agreements()[0];
  CHECK(agreement.first == "model");
  CHECK(agreement.second == "rtl");
  CHECK(agreement.steps == 2);
  CHECK((agreement.losses_equal && agreement.weights_equal));
  CHECK_THAT(agreement_lines(comparison).at(0), Catch::Contains("agree to the last bit"));
}

TEST_CASE("one bit of difference between bit-exact devices is reported", "[report]") {
  Comparison comparison{.runs = {some_run("model"), some_run("rtl")}};
  SECTION("in a loss") { comparison.runs[1].losses[1] = 2.0000000000000004; }
  SECTION("in a weight") { comparison.runs[1].mark_checksum = "other"; }
  const Agreement agreement = comparison.agreements().at(0);
  CHECK_FALSE((agreement.losses_equal && agreement.weights_equal));
  CHECK_THAT(comparison_table(comparison), Catch::Contains("model and rtl DIFFER"));
}

TEST_CASE("two devices with the same hardware are drawn once", "[report]") {
  Comparison comparison{.runs = {some_run("cpu"), some_run("model"), some_run("rtl")}};
  CHECK(comparison.subjects().size() == 3);
  CHECK(comparison.distinct_subjects().size() == 2);
  comparison.runs[2].clock_mhz = 700;
  CHECK(comparison.distinct_subjects().size() == 3);
  CHECK(comparison.duels().size() == 2);
}

TEST_CASE("records of one network are joined, the later one counting", "[report]") {
  RecordedRun later = some_run("model");
  later.wall_seconds = 9;
  const Comparison joined = join({{.runs = {some_run("cpu"), some_run("model")}, .failed = {}},
                                  {.runs = {later}, .failed = {}}});
  REQUIRE(joined.runs.size() == 2);
  CHECK(joined.runs[1].wall_seconds == 9);
  later.model = "fashion-cnn";
  CHECK_THROWS_WITH(join({{.runs = {some_run("cpu"), later}, .failed = {}}}),
                    Catch::Contains("are no comparison"));
  CHECK_THROWS_WITH(join({{.runs = {}, .failed = {}}}), Catch::Contains("no finished run"));
}

}  // namespace systole::tests
