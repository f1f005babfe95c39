#include "host/report/recorded_run.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/report/some_runs.h"
#include "tests/support/run_program.h"

namespace systole::tests {
namespace {

using Json = nlohmann::ordered_json;

std::string refusal(const Json& record) {
  try {
    read_record(record, "run.json");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_of_file(const TemporaryFolder& folder, const std::string& text) {
  std::ofstream(folder.file("x.json")) << text;
  try {
    read_record(std::filesystem::path(folder.file("x.json")));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "accepted";
}

// A run with every field that can stand in one record.
RecordedRun full_run() {
  RecordedRun run = some_run("model");
  run.host_link = {.gbit_per_second = 8, .latency_us = 1, .source = "PCIe"};
  run.platform = "cuda";
  run.chip = "a chip";
  run.plugin = "PJRT";
  run.configuration = "tpu-v2-core";
  run.framework = "a framework";
  run.steps_per_execution = 3;
  run.weight_decay = 0.25;
  run.momentum = 0.5;
  run.clip_norm = 1;
  run.context = 32;
  run.busy = RecordedBusy{.array = 1, .vector = 2, .reads = 3, .writes = 4};
  run.energy = RecordedEnergy{.label = "estimated",
                              .process = "16 nm",
                              .memory = "HBM2",
                              .source = "a source",
                              .joules = 2,
                              .by_cause = {{"array", 2}},
                              .other_processes = {{"7 nm", 1}},
                              .processor_seconds = 3};
  run.epoch_results.front().held_out_accuracy = 0.5;
  run.mark_step = 2;
  run.mark_checksum = "marked";
  return run;
}

void add_keys(const Json& record, std::vector<std::string>& keys) {
  if (!record.is_structured()) return;
  for (const auto& [key, value] : record.items()) {
    if (record.is_object()) keys.push_back(key);
    if (key != "by_cause" && key != "other_processes") add_keys(value, keys);
  }
}

}  // namespace

TEST_CASE("what is written is read back, every field of it", "[report]") {
  const Json record = write_run(full_run());
  const RecordedRun again = read_run(record, "a record");
  CHECK(again.steps_per_execution == 3);
  CHECK(again.busy->writes == 4);
  CHECK(again.energy->by_cause == NamedNumbers{{"array", 2}});
  CHECK(again.energy->other_processes == NamedNumbers{{"7 nm", 1}});
  CHECK(again.epoch_results.front().held_out_accuracy == 0.5);
  CHECK(again.plugin == "PJRT");
  CHECK(again.mark_checksum == "marked");
  CHECK(write_config(again)["array"] == 16);
}

TEST_CASE("docs/records.md names every field", "[report]") {
  std::ifstream stream(SYSTOLE_RECORDS_PAGE);
  const std::string page(std::istreambuf_iterator<char>(stream), {});
  std::vector<std::string> keys;
  add_keys(write_run(full_run()), keys);
  REQUIRE(keys.size() > 80);
  for (const std::string& key : keys) {
    INFO(key);
    CHECK(page.find(fmt::format("`{}`", key)) != std::string::npos);
  }
}

TEST_CASE("a recorded training is read as it was written", "[report]") {
  const RecordedRun run = some_run("model");
  CHECK(run.clocked);
  CHECK(run.array_size == 16);
  CHECK(run.cycles == 300'000);
  CHECK(run.steps() == 3);
  CHECK(run.batches() == 3);
  CHECK(run.test_accuracy == 0.875);
  CHECK(run.epoch_results.at(0).wall_seconds == 0.006);
  CHECK_FALSE(some_run("cpu").clocked);
}

TEST_CASE("a device's step is its products' clocks plus the host's part", "[report]") {
  CHECK(some_run("cpu").step_seconds() == Approx(0.002));
  CHECK(some_run("model").device_step_seconds() == Approx(0.001));
  CHECK(some_run("model").step_seconds() == Approx(0.0015));
}

TEST_CASE("a missing key is reported by name", "[report]") {
  const Json whole = some_record("model");
  for (const char* key :
       {"command", "model", "dataset", "config", "machine", "samples", "macs", "cycles",
        "utilization", "stalls", "device_seconds", "wall_seconds", "host_seconds", "epochs",
        "losses", "parameter_count", "result_checksum", "fastest_tenth_host_seconds"}) {
    Json record = whole;
    record.erase(key);
    CHECK(refusal(record) == std::string("run.json: no key '") + key + "'");
  }
  for (const auto& item : whole["config"].items()) {
    if (item.key() == "array") continue;  // without it the run was on no array
    Json record = whole;
    record["config"].erase(item.key());
    CHECK(refusal(record) == "run.json.config: no key '" + item.key() + "'");
  }
}

TEST_CASE("a value of the wrong type is refused with its key and value", "[report]") {
  Json record = some_record("model");
  record["wall_seconds"] = "fast";
  CHECK(refusal(record) == "run.json: 'wall_seconds' is a string, not a number");
  record = some_record("model");
  record["config"]["batch_size"] = 0;
  CHECK_THAT(refusal(record),
             Catch::Contains("'batch_size' is 0, not a whole number of 1 or more"));
  record = some_record("model");
  record["cycles"] = -4;
  CHECK_THAT(refusal(record), Catch::Contains("'cycles' is -4"));
  record = some_record("model");
  record["losses"] = Json::array();
  CHECK_THAT(refusal(record), Catch::Contains("'losses' is empty"));
  record = some_record("model");
  record["epochs"][0].erase("wall_seconds");
  CHECK(refusal(record) == "run.json.epochs[0]: no key 'wall_seconds'");
  CHECK(refusal(Json::parse("[1, 2]")) == "run.json: an array, not an object");
}

TEST_CASE("a resumed run is refused, since its counts cover a part only", "[report]") {
  Json record = some_record("model");
  record["config"]["resumed"] = false;
  CHECK(refusal(record) == "accepted");
  record["config"]["resumed"] = true;
  CHECK_THAT(refusal(record), Catch::StartsWith("run.json.config: 'resumed' is true"));
  record["config"]["resumed"] = "no";
  CHECK_THAT(refusal(record), Catch::Contains("a string, not true or false"));
}

TEST_CASE("records of an older schema and of other commands are refused", "[report]") {
  Json record = some_record("cpu");
  record.erase("schema");
  CHECK_THAT(refusal(record), Catch::Contains("no key 'schema': an older systole wrote this"));
  record["schema"] = 1;
  CHECK_THAT(refusal(record), Catch::Contains("'schema' is 1, and this systole reads 2"));
  record["command"] = "gemm";
  CHECK_THAT(refusal(record), Catch::Contains("a record of 'gemm'"));
}

TEST_CASE("a run of a comparison is named by its position", "[report]") {
  Json record = {{"command", "compare"}, {"schema", 2},           {"model", "m"},
                 {"dataset", "d"},       {"runs", Json::array()}, {"failed", Json::array()}};
  record["runs"].push_back(some_record("cpu"));
  CHECK(refusal(record) == "accepted");
  record["runs"].push_back(some_record("cpu"));
  record["runs"][1].erase("samples");
  CHECK(refusal(record) == "run.json: runs[1]: no key 'samples'");
}

TEST_CASE("files that are not records are refused by name", "[report]") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of_file(folder, ""), Catch::Contains("x.json: the file is empty"));
  CHECK_THAT(refusal_of_file(folder, "{\"command\": "),
             Catch::Contains("x.json: not JSON, from byte"));
  CHECK_THAT(refusal_of_file(folder, R"({"runs": 1, "runs": 2})"), Catch::Contains("occurs twice"));
  CHECK_THAT(refusal_of_file(folder, "\x89PNG"), Catch::Contains("not JSON, from byte 1"));
  CHECK_THROWS_WITH(read_record(std::filesystem::path(folder.path())), Catch::Contains("a folder"));
  CHECK_THROWS_WITH(read_record(std::filesystem::path(folder.file("none"))),
                    Catch::Contains("cannot be read"));
  // Cut off anywhere, a record is refused and nothing worse.
  const std::string whole = some_record("model").dump();
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    CHECK_THAT(refusal_of_file(folder, whole.substr(0, size)), Catch::Contains("not JSON"));
  }
}

}  // namespace systole::tests
