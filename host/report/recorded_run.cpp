#include "host/report/recorded_run.h"

#include <fmt/format.h>

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

// The fields of a record, each stated once: `f` is a FieldReader or a FieldWriter.
using enum Allowed;

template <typename F, typename Device>
void device_fields(const F& f, Device& device) {
  const auto link = [&](const auto& g) {
    g.written("gbit_per_second", device.host_link.gbit_per_second);
    g.written("latency_us", device.host_link.latency_us);
    g.written("source", device.host_link.source);
  };
  f.field("device", device.device);
  f.field("type", device.type);
  f.field("threads", device.threads, kPositive);
  f.presence("array", device.clocked);
  f.field_if(device.clocked, "array", device.array_size, kPositive);
  f.field_if(device.clocked, "memory", device.memory);
  f.field_if(device.clocked, "clock_mhz", device.clock_mhz, kPositive);
  f.field_if(device.clocked, "clock_source", device.clock_source);
  f.written_object(device.clocked, "host_link", link);
  f.unless_empty("platform", device.platform);
  if (device.platform.empty()) return;
  f.field("chip", device.chip);
  f.field("plugin", device.plugin);
}

template <typename F, typename Run>
void config_fields(const F& f, Run& run) {
  device_fields(f, run);
  f.unless_empty("configuration", run.configuration);
  f.unless_empty("framework", run.framework);
  f.field("batch_size", run.batch_size, kPositive);
  f.field("epochs", run.epochs, kPositive);
  f.field("steps_per_epoch", run.steps_per_epoch, kPositive);
  f.unless_empty("steps_per_execution", run.steps_per_execution, kPositive);
  f.field("optimizer", run.optimizer);
  f.field("learning_rate", run.learning_rate);
  f.written_if(run.weight_decay != 0, "weight_decay", run.weight_decay);
  f.written_if(run.momentum.has_value(), "momentum", run.momentum);
  f.written("schedule", run.schedule);
  f.written("clip_norm", run.clip_norm);
  f.written("dropout", run.dropout);
  f.written_if(run.context != 0, "context", run.context);
  f.field("seed", run.seed);
  f.maybe("normalization", run.normalization);
  f.maybe("augmentation", run.augmentation);
  f.maybe("resumed", run.resumed);
}

template <typename F, typename Counts>
void count_fields(const F& f, bool clocked, Counts& counts) {
  f.field_if(clocked, "cycles", counts.cycles);
  f.field("macs", counts.macs);
  f.field_if(clocked, "utilization", counts.utilization);
  f.object_if(clocked, "stalls", [&](const auto& g) {
    g.field("load", counts.stalls.load);
    g.field("store", counts.stalls.store);
    g.field("weights", counts.stalls.weights);
    g.field("sums", counts.stalls.sums);
    g.maybe("vector", counts.stalls.vector);
    g.field("idle", counts.stalls.idle);
  });
  f.maybe_object("busy", counts.busy, [](const auto& g, auto& busy) {
    g.field("array", busy.array);
    g.field("vector", busy.vector);
    g.field("reads", busy.reads);
    g.field("writes", busy.writes);
  });
  f.field_if(clocked, "device_seconds", counts.device_seconds, kNotNegative);
}

template <typename F, typename Energy>
void energy_fields(const F& f, Energy& energy) {
  f.field("label", energy.label);
  f.unless_empty("process", energy.process);
  f.written_if(!energy.memory.empty(), "memory", energy.memory);
  f.field("source", energy.source);
  f.field("joules_a_step", energy.joules, kNotNegative);
  f.written("joules_a_sample", energy.sample_joules);
  f.written("joules_an_epoch", energy.epoch_joules);
  f.unless_empty("by_cause", energy.by_cause, kNotNegative);
  f.unless_empty("other_processes", energy.other_processes, kNotNegative);
  f.written_if(energy.processor_seconds != 0, "processor_seconds_a_step", energy.processor_seconds);
}

template <typename F, typename Run>
void run_fields(const F& f, Run& run) {
  f.written("command", "train");
  f.written("schema", kRecordSchema);
  f.field("model", run.model);
  f.field("dataset", run.dataset);
  f.object("config", [&](const auto& g) { config_fields(g, run); });
  f.object("machine", [&](const auto& g) {
    g.field("processor", run.processor);
    g.written("threads", run.machine_threads);
  });
  f.field("samples", run.samples, kPositive);
  f.field("parameter_count", run.parameter_count, kPositive);
  count_fields(f, run.clocked, run);
  f.written("actions", run.actions);
  f.maybe_object("cores", [&](const auto& g) {
    g.field("count", run.cores, kPositive);
    g.others(run.about_cores);
  });
  f.field("wall_seconds", run.wall_seconds, kNotNegative);
  f.field("host_seconds", run.host_seconds, kNotNegative);
  f.written("programs_per_step", run.programs_per_step);
  f.written("host_share", run.host_share);
  f.maybe("executions", run.executions);
  f.maybe("first_host_seconds", run.first_host_seconds, kNotNegative);
  f.field("first_step_seconds", run.first_step_seconds, kNotNegative);
  f.field("later_step_seconds", run.later_step_seconds, kNotNegative);
  f.field("fastest_tenth_step_seconds", run.fastest_tenth_step_seconds, kNotNegative);
  f.field("fastest_tenth_host_seconds", run.fastest_tenth_host_seconds, kNotNegative);
  f.maybe("fastest_tenth_input_seconds", run.fastest_tenth_input_seconds, kNotNegative);
  f.written("infeed_bytes", run.infeed_bytes);
  f.maybe("infeed_seconds", run.infeed_seconds, kNotNegative);
  f.maybe_object("energy", run.energy,
                 [](const auto& g, auto& energy) { energy_fields(g, energy); });
  f.list("epochs", run.epoch_results, [](const auto& g, auto& epoch) {
    g.field("loss", epoch.loss);
    g.field("accuracy", epoch.accuracy);
    g.written("val_loss", epoch.held_out_loss);
    g.maybe("val_accuracy", epoch.held_out_accuracy);
    g.field("wall_seconds", epoch.wall_seconds, kNotNegative);
  });
  f.field("losses", run.losses);
  f.written("stopped", run.stopped.empty() ? Json() : Json(run.stopped));
  f.written("test_loss", run.test_loss);
  f.maybe("accuracy", run.test_accuracy);
  f.written("peak_memory_bytes", run.peak_memory_bytes);
  f.written("check", run.check);
  f.field("result_checksum", run.checksum);
  f.unless_empty("mark_step", run.mark_step, kPositive);
  if (run.mark_step != 0) f.field("mark_checksum", run.mark_checksum);
}

template <typename F, typename Failed>
void failed_fields(const F& f, Failed& run) {
  f.field("device", run.device);
  f.field("batch_size", run.batch_size, kPositive);
  f.field("reason", run.reason);
}

// The record's own fields, before its runs.
struct Heading {
  std::string command, model, dataset;
  std::optional<std::int64_t> schema;
};

void require_schema(const Heading& heading, const std::string& where) {
  const std::string again = "record the run again with this systole";
  if (!heading.schema) {
    refuse(where, "no key 'schema': an older systole wrote this; " + again);
  }
  if (*heading.schema == kRecordSchema) return;
  refuse(where, fmt::format("'schema' is {}, and this systole reads {}; {}", *heading.schema,
                            kRecordSchema, again));
}

template <typename Fields>
Json written(const Fields& fields) {
  Json object = Json::object();
  fields(FieldWriter(object));
  return object;
}

}  // namespace

Json write_run(const RecordedRun& run) {
  return written([&](const FieldWriter& f) { run_fields(f, run); });
}
Json write_config(const RecordedRun& run) {
  return written([&](const FieldWriter& f) { config_fields(f, run); });
}
Json write_device(const RecordedDevice& device) {
  return written([&](const FieldWriter& f) { device_fields(f, device); });
}
Json write_energy(const std::optional<RecordedEnergy>& energy) {
  if (!energy) return nullptr;
  return written([&](const FieldWriter& f) { energy_fields(f, *energy); });
}
Json write_failed(const FailedRun& run) {
  return written([&](const FieldWriter& f) { failed_fields(f, run); });
}
void write_counts(Json& record, const RecordedCounts& counts, bool clocked) {
  count_fields(FieldWriter(record), clocked, counts);
}

RecordedRun read_run(const Json& json, const std::string& where) {
  RecordedRun run;
  run_fields(FieldReader(json, where), run);
  if (run.resumed) {
    refuse(
        where + ".config",
        "'resumed' is true: cycles and seconds are of the last part alone, so that figures would "
        "mislead; report a run that was not resumed");
  }
  if (run.losses.empty()) refuse(where, "'losses' is empty: the run has no steps");
  if (run.mark_step > run.steps()) refuse(where, "'mark_step' is after the last step");
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
  const FieldReader record(json, where);
  Heading heading;
  record.field("command", heading.command);
  if (heading.command != "train" && heading.command != "compare") {
    refuse(where, fmt::format("a record of '{}', where one of train or compare is wanted",
                              heading.command));
  }
  record.maybe("schema", heading.schema);
  require_schema(heading, where);
  if (heading.command == "train") return {.runs = {read_run(json, where)}, .failed = {}};
  record.field("model", heading.model);
  record.field("dataset", heading.dataset);
  RecordedRuns all;
  const Json& runs = record.items("runs");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Json run = runs[i];
    if (run.is_object()) {
      run["model"] = heading.model;
      run["dataset"] = heading.dataset;
    }
    all.runs.push_back(read_run(run, fmt::format("{}: runs[{}]", where, i)));
  }
  record.list("failed", all.failed, [](const auto& f, auto& run) { failed_fields(f, run); });
  return all;
}

RecordedRuns read_record(const std::filesystem::path& path) {
  return read_record(read_json(path), path.string());
}

}  // namespace systole
