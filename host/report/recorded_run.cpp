#include "host/report/recorded_run.h"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "host/data/strict_json.h"

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw std::runtime_error(fmt::format("{}: {}", where, why));
}

/// An object of a record; every access reports where it failed.
class Reader {
 public:
  Reader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) refuse(where_, fmt::format("{}, not an object", kind(object)));
  }

  bool has(const char* key) const { return object_.contains(key) && !object_[key].is_null(); }

  std::string text(const char* key) const {
    const Json& value = at(key);
    if (!value.is_string()) wrong(key, value, "a text");
    return value.get<std::string>();
  }
  double number(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number() || !std::isfinite(value.get<double>())) wrong(key, value, "a number");
    return value.get<double>();
  }
  double seconds(const char* key) const { return amount(key); }
  double amount(const char* key) const {
    if (number(key) < 0) refuse(where_, fmt::format("'{}' is below 0", key));
    return number(key);
  }
  bool flag(const char* key) const {
    if (!has(key)) return false;
    const Json& value = at(key);
    if (!value.is_boolean()) wrong(key, value, "true or false");
    return value.get<bool>();
  }
  std::uint64_t count(const char* key) const {
    const Json& value = at(key);
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<long long>() < 0)) {
      wrong(key, value, "a whole number of 0 or more");
    }
    return value.get<std::uint64_t>();
  }
  std::int64_t positive(const char* key) const {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
    const std::uint64_t value = count(key);
    if (value == 0 || value > kMost) wrong(key, at(key), "a whole number of 1 or more");
    return static_cast<std::int64_t>(value);
  }
  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& [key, value] : object_.items()) all.push_back(key);
    return all;
  }
  const Json& list(const char* key) const {
    const Json& value = at(key);
    if (!value.is_array()) wrong(key, value, "a list");
    return value;
  }
  Reader object(const char* key) const { return {at(key), fmt::format("{}.{}", where_, key)}; }
  const std::string& where() const { return where_; }

 private:
  const Json& at(const char* key) const {
    if (!object_.contains(key)) refuse(where_, fmt::format("no key '{}'", key));
    return object_[key];
  }
  [[noreturn]] void wrong(const char* key, const Json& value, const char* wanted) const {
    refuse(where_, fmt::format("'{}' is {}, not {}", key, kind(value), wanted));
  }
  static std::string kind(const Json& value) {
    if (value.is_number()) return value.dump();
    if (value.is_null()) return "null";
    const std::string name = value.type_name();
    return (name == "array" || name == "object" ? "an " : "a ") + name;
  }

  const Json& object_;
  std::string where_;
};

void read_config(const Reader& config, RecordedRun& run) {
  run.device = config.text("device");
  run.type = config.text("type");
  run.threads = static_cast<int>(config.positive("threads"));
  run.clocked = config.has("array");
  if (run.clocked) {
    run.array_size = static_cast<int>(config.positive("array"));
    run.memory = config.text("memory");
    run.clock_mhz = config.number("clock_mhz");
    run.clock_source = config.text("clock_source");
    if (run.clock_mhz <= 0) refuse(config.where(), "'clock_mhz' is not above 0");
  }
  if (config.has("configuration")) run.configuration = config.text("configuration");
  if (config.has("platform")) {
    run.platform = config.text("platform");
    run.chip = config.text("chip");
    run.plugin = config.text("plugin");
  }
  if (config.has("framework")) run.framework = config.text("framework");
  if (config.has("normalization")) run.normalization = config.text("normalization");
  if (config.has("augmentation")) run.augmentation = config.text("augmentation");
  if (config.flag("resumed")) {
    refuse(
        config.where(),
        "'resumed' is true: cycles and seconds are of the last part alone, so that figures would "
        "mislead; report a run that was not resumed");
  }
  run.batch_size = config.positive("batch_size");
  run.epochs = config.positive("epochs");
  run.steps_per_epoch = config.positive("steps_per_epoch");
  if (config.has("steps_per_execution")) {
    run.steps_per_execution = config.positive("steps_per_execution");
  }
  run.optimizer = config.text("optimizer");
  run.learning_rate = config.number("learning_rate");
  run.seed = config.count("seed");
}

void read_cycles(const Reader& record, RecordedRun& run) {
  run.cycles = record.count("cycles");
  run.utilization = record.number("utilization");
  run.device_seconds = record.seconds("device_seconds");
  const Reader stalls = record.object("stalls");
  run.stalls = {.load = stalls.count("load"),
                .store = stalls.count("store"),
                .weights = stalls.count("weights"),
                .sums = stalls.count("sums"),
                .vector = stalls.has("vector") ? stalls.count("vector") : 0,  // new in 0.1
                .idle = stalls.count("idle")};
  if (!record.has("busy")) return;  // new in 0.1
  const Reader busy = record.object("busy");
  run.busy = {.array = busy.count("array"),
              .vector = busy.count("vector"),
              .reads = busy.count("reads"),
              .writes = busy.count("writes")};
}

std::vector<std::pair<std::string, double>> read_parts(const Reader& energy, const char* key) {
  std::vector<std::pair<std::string, double>> parts;
  if (!energy.has(key)) return parts;
  const Reader object = energy.object(key);
  for (const std::string& name : object.keys()) {
    parts.emplace_back(name, object.amount(name.c_str()));
  }
  return parts;
}

void read_energy(const Reader& record, RecordedRun& run) {
  if (!record.has("energy")) return;  // new in 0.1
  const Reader energy = record.object("energy");
  run.energy = {.label = energy.text("label"),
                .process = energy.has("process") ? energy.text("process") : "",
                .source = energy.text("source"),
                .joules = energy.amount("joules_a_step"),
                .by_cause = read_parts(energy, "by_cause"),
                .other_processes = read_parts(energy, "other_processes")};
}

void read_epochs(const Reader& record, RecordedRun& run) {
  const Json& epochs = record.list("epochs");
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const Reader epoch(epochs[i], fmt::format("{}.epochs[{}]", record.where(), i));
    RecordedRun::Epoch& result = run.epoch_results.emplace_back();
    result.loss = epoch.number("loss");
    result.accuracy = epoch.number("accuracy");
    result.wall_seconds = epoch.seconds("wall_seconds");
    if (epoch.has("val_accuracy")) result.held_out_accuracy = epoch.number("val_accuracy");
  }
}

void read_losses(const Reader& record, RecordedRun& run) {
  const Json& losses = record.list("losses");
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!losses[i].is_number()) {
      refuse(record.where(), fmt::format("'losses[{}]' is not a number", i));
    }
    run.losses.push_back(losses[i].get<double>());
  }
  if (run.losses.empty()) refuse(record.where(), "'losses' is empty: the run has no steps");
}

void require_schema(const Reader& record) {
  const std::string again = "record the run again with this systole";
  if (!record.has("schema")) {
    refuse(record.where(), "no key 'schema': an older systole wrote this; " + again);
  }
  const std::uint64_t schema = record.count("schema");
  if (schema == kRecordSchema) return;
  refuse(record.where(), fmt::format("'schema' is {}, and this systole reads {}; {}", schema,
                                     kRecordSchema, again));
}

}  // namespace

RecordedRun read_run(const Json& json, const std::string& where) {
  const Reader record(json, where);
  RecordedRun run;
  run.model = record.text("model");
  run.dataset = record.text("dataset");
  read_config(record.object("config"), run);
  if (record.has("cores")) {
    run.cores = static_cast<int>(record.object("cores").positive("count"));
  }
  run.samples = record.positive("samples");
  run.processor = record.object("machine").text("processor");
  run.macs = record.count("macs");
  if (run.clocked) read_cycles(record, run);
  read_energy(record, run);
  run.wall_seconds = record.seconds("wall_seconds");
  run.host_seconds = record.seconds("host_seconds");
  run.first_step_seconds = record.seconds("first_step_seconds");
  run.later_step_seconds = record.seconds("later_step_seconds");
  run.fastest_tenth_step_seconds = record.seconds("fastest_tenth_step_seconds");
  run.fastest_tenth_host_seconds = record.seconds("fastest_tenth_host_seconds");
  if (record.has("infeed_seconds")) {  // new in 0.1
    run.infeed_seconds = record.seconds("infeed_seconds");
    run.fastest_tenth_input_seconds = record.seconds("fastest_tenth_input_seconds");
  }
  if (record.has("executions")) {  // new in 0.1
    run.executions = static_cast<std::int64_t>(record.count("executions"));
    run.first_host_seconds = record.seconds("first_host_seconds");
  }
  read_epochs(record, run);
  read_losses(record, run);
  if (record.has("accuracy")) run.test_accuracy = record.number("accuracy");
  run.parameter_count = record.positive("parameter_count");
  run.checksum = record.text("result_checksum");
  if (record.has("mark_step")) {
    run.mark_step = record.positive("mark_step");
    run.mark_checksum = record.text("mark_checksum");
    if (run.mark_step > run.steps()) refuse(where, "'mark_step' is after the last step");
  }
  return run;
}

Json read_json(const std::filesystem::path& path) {
  const std::string where = path.string();
  std::ifstream stream(path, std::ios::binary);
  std::stringstream bytes;
  if (std::filesystem::is_directory(path)) refuse(where, "a folder, not a file");
  if (!stream || !(bytes << stream.rdbuf())) refuse(where, "the file is empty or cannot be read");
  try {
    return parse_strictly(bytes.str());
  } catch (const Json::parse_error& error) {
    refuse(where, fmt::format("not JSON, from byte {} on", error.byte));
  } catch (const std::runtime_error& error) {
    refuse(where, error.what());
  }
}

RecordedRuns read_record(const Json& json, const std::string& where) {
  const Reader record(json, where);
  const std::string command = record.text("command");
  if (command != "train" && command != "compare") {
    refuse(where,
           fmt::format("a record of '{}', where one of train or compare is wanted", command));
  }
  require_schema(record);
  if (command == "train") return {.runs = {read_run(json, where)}, .failed = {}};
  RecordedRuns all;
  const Json& runs = record.list("runs");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Json run = runs[i];
    const std::string place = fmt::format("{}: runs[{}]", where, i);
    if (run.is_object()) {
      run["model"] = record.text("model");
      run["dataset"] = record.text("dataset");
    }
    all.runs.push_back(read_run(run, place));
  }
  const Json& failed = record.list("failed");
  for (std::size_t i = 0; i < failed.size(); ++i) {
    const Reader run(failed[i], fmt::format("{}: failed[{}]", where, i));
    all.failed.push_back({.device = run.text("device"),
                          .reason = run.text("reason"),
                          .batch_size = run.positive("batch_size")});
  }
  return all;
}

RecordedRuns read_record(const std::filesystem::path& path) {
  return read_record(read_json(path), path.string());
}

}  // namespace systole
