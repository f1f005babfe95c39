#include "host/cli/comparison.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/device_options.h"
#include "host/cli/run_record.h"
#include "host/cli/usage_error.h"

namespace systole {
namespace {

ComparedDevice parse_device(const std::string& word) {
  const auto colon = word.find(':');
  ComparedDevice device{.name = word.substr(0, colon), .steps = {}};
  if (device.name.empty()) {
    throw UsageError(fmt::format("--devices has an empty name: choose from {}", device_names()));
  }
  if (colon != std::string::npos) {
    std::string count = word.substr(colon + 1);
    const std::string refusal = kPositiveWhole(count);
    if (!refusal.empty()) throw UsageError(fmt::format("--devices {}: {}", word, refusal));
    device.steps = std::stoll(count);
  } else if (device.name == "rtl") {
    device.steps = kRtlSteps;
  }
  return device;
}

}  // namespace

std::vector<ComparedDevice> parse_devices(const std::string& list) {
  std::vector<ComparedDevice> devices;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = list.find(',', start);
    ComparedDevice device = parse_device(list.substr(start, comma - start));
    const auto same = [&](const ComparedDevice& other) { return other.name == device.name; };
    if (std::ranges::any_of(devices, same)) {
      throw UsageError(fmt::format("--devices names {} twice", device.name));
    }
    devices.push_back(std::move(device));
    if (comma == std::string::npos) return devices;
    start = comma + 1;
  }
}

double ComparedRun::wall_step_seconds() const {
  return result.wall_seconds / static_cast<double>(steps());
}

double ComparedRun::device_step_seconds() const {
  return device_seconds(result.counters, info) / static_cast<double>(steps());
}

double ComparedRun::step_seconds() const {
  return info.cycle_exact ? device_step_seconds() + host_step_seconds() : wall_step_seconds();
}

std::vector<std::int64_t> Comparison::batch_sizes() const {
  std::vector<std::int64_t> sizes;
  for (const ComparedRun& run : runs) {
    if (std::ranges::find(sizes, run.plan.batch_size) == sizes.end()) {
      sizes.push_back(run.plan.batch_size);
    }
  }
  return sizes;
}

std::vector<const ComparedRun*> Comparison::of_batch_size(std::int64_t batch_size) const {
  std::vector<const ComparedRun*> found;
  for (const ComparedRun& run : runs) {
    if (run.plan.batch_size == batch_size) found.push_back(&run);
  }
  return found;
}

std::vector<Agreement> Comparison::agreements() const {
  std::vector<Agreement> all;
  for (const std::int64_t batch_size : batch_sizes()) {
    const ComparedRun* first = nullptr;
    for (const ComparedRun* run : of_batch_size(batch_size)) {
      if (!run->info.bit_exact) continue;
      if (first == nullptr) {
        first = run;
        continue;
      }
      const std::int64_t steps = run->plan.mark_step;
      all.push_back(
          {.first = first->info.name,
           .second = run->info.name,
           .batch_size = batch_size,
           .steps = steps,
           .losses_equal = std::ranges::equal(
               first->result.history.losses.begin(), first->result.history.losses.begin() + steps,
               run->result.history.losses.begin(), run->result.history.losses.begin() + steps),
           .weights_equal = first->result.mark_checksum == run->result.mark_checksum,
           .checksum = first->result.mark_checksum});
    }
  }
  return all;
}

std::string describe(const ComparedRun& run) {
  const std::string_view type = to_string(run.plan.precision);
  const DeviceInfo& info = run.info;
  if (info.array_size > 0) {
    return fmt::format("{}, {} x {} array, {}", info.name, info.array_size, info.array_size, type);
  }
  return fmt::format("{}, {} thread{}, {}", info.name, info.threads, info.threads == 1 ? "" : "s",
                     type);
}

nlohmann::ordered_json comparison_record(const Comparison& comparison) {
  nlohmann::ordered_json record;
  record["command"] = "compare";
  record["model"] = comparison.runs.front().plan.choice.model.name;
  record["dataset"] = comparison.runs.front().plan.choice.dataset;
  for (const ComparedRun& run : comparison.runs) {
    auto entry = training_record(run.plan, run.result, run.info);
    for (const char* common : {"command", "model", "dataset"}) entry.erase(common);
    record["runs"].push_back(std::move(entry));
  }
  record["agreements"] = nlohmann::ordered_json::array();
  for (const Agreement& agreement : comparison.agreements()) {
    nlohmann::ordered_json entry;
    entry["devices"] = {agreement.first, agreement.second};
    entry["batch_size"] = agreement.batch_size;
    entry["steps"] = agreement.steps;
    entry["losses_equal"] = agreement.losses_equal;
    entry["weights_equal"] = agreement.weights_equal;
    entry["result_checksum"] = agreement.checksum;
    record["agreements"].push_back(std::move(entry));
  }
  return record;
}

}  // namespace systole
