#include "tests/report/some_runs.h"

namespace systole::tests {

nlohmann::ordered_json some_record(const std::string& device, std::int64_t batch_size) {
  const bool clocked = device != "cpu";
  auto record = nlohmann::ordered_json::parse(R"({
    "command": "train", "schema": 2, "model": "mnist-mlp", "dataset": "mnist",
    "config": {"type": "fp32", "threads": 1, "array": null, "memory": null, "clock_mhz": null,
               "clock_source": null, "epochs": 1, "steps_per_epoch": 3, "optimizer": "adam",
               "learning_rate": 0.001, "seed": 1},
    "machine": {"processor": "a processor", "threads": 2}, "samples": 384, "parameter_count": 7,
    "cycles": null, "macs": 76800000, "utilization": null, "stalls": null, "device_seconds": null,
    "wall_seconds": 0.006, "host_seconds": 0.0015,
    "first_step_seconds": 0.002, "later_step_seconds": 0.002,
    "fastest_tenth_step_seconds": 0.002, "fastest_tenth_host_seconds": 0.0005,
    "epochs": [{"loss": 2, "accuracy": 0.5, "wall_seconds": 0.006}],
    "losses": [3, 2, 1], "test_loss": 1, "accuracy": 0.875, "result_checksum": "abc"})");
  auto& config = record["config"];
  config["device"] = device;
  config["batch_size"] = batch_size;
  if (!clocked) return record;
  config["type"] = "bf16";
  config["array"] = 16;
  config["memory"] = "some";
  config["clock_mhz"] = 100.0;
  config["clock_source"] = "assumed";
  record["cycles"] = 300'000;
  record["utilization"] = 1.0;
  record["stalls"] = {{"load", 0}, {"store", 0}, {"weights", 0}, {"sums", 0}, {"idle", 0}};
  record["device_seconds"] = 0.003;
  record["mark_step"] = 2;
  record["mark_checksum"] = "marked";
  return record;
}

RecordedRun some_run(const std::string& device, std::int64_t batch_size) {
  return read_run(some_record(device, batch_size), "a record");
}

Comparison some_comparison() {
  Comparison comparison{.runs = {some_run("cpu", 32), some_run("model", 32), some_run("cpu", 128),
                                 some_run("model", 128)}};
  comparison.runs[1].device_seconds = 0.012;  // 4 ms a step
  return comparison;
}

}  // namespace systole::tests
