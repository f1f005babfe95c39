#include "host/cli/comparison_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole {
namespace {

using Json = nlohmann::ordered_json;

Json agreements_json(const Comparison& comparison) {
  Json all = Json::array();
  for (const Agreement& agreement : comparison.agreements()) {
    Json& entry = all.emplace_back();
    entry["devices"] = {agreement.first, agreement.second};
    entry["batch_size"] = agreement.batch_size;
    entry["steps"] = agreement.steps;
    entry["losses_equal"] = agreement.losses_equal;
    entry["weights_equal"] = agreement.weights_equal;
    entry["result_checksum"] = agreement.checksum;
  }
  return all;
}

int cores_of(const Json& run) {
  const auto cores = run.find("cores");
  return cores == run.end() || cores->is_null() ? 1 : cores->value("count", 1);
}

void need_same(const Json& record, const Json& same_for_all, const std::string& path) {
  for (const auto& [key, value] : same_for_all.items()) {
    if (record.contains(key) && record[key] == value) continue;
    throw std::runtime_error(fmt::format(
        "cannot resume {}: its '{}' is {}, not {}; choose another --json file, or omit "
        "--resume",
        path, key, record.contains(key) ? record[key].dump() : "missing", value.dump()));
  }
}

}  // namespace

ComparisonRecord::ComparisonRecord(const std::string& path, Json same_for_all, bool resume)
    : file_(path), where_(path.empty() ? "this comparison" : path) {
  record_["command"] = "compare";
  record_["schema"] = kRecordSchema;
  record_.update(same_for_all);
  record_["complete"] = false;
  record_["runs"] = Json::array();
  record_["failed"] = Json::array();
  record_["agreements"] = Json::array();
  if (!resume || !std::filesystem::exists(path)) return;
  const Json before = read_json(path);
  read_record(before, path);  // names what is wrong with it
  need_same(before, same_for_all, path);
  record_["runs"] = before["runs"];
}

bool ComparisonRecord::has(const Json& config, int cores, std::int64_t mark_step) const {
  return std::ranges::any_of(record_["runs"], [&](const Json& run) {
    return run["config"] == config && cores_of(run) == cores &&
           run.value("mark_step", std::int64_t{0}) == mark_step;
  });
}

void ComparisonRecord::add(Json run) {
  for (const char* common : {"command", "schema", "model", "dataset"}) run.erase(common);
  // Replaces a run of the same kind with another marked step or of another length.
  auto& runs = record_["runs"];
  for (std::size_t i = runs.size(); i-- > 0;) {
    if (runs[i]["config"] == run["config"] && cores_of(runs[i]) == cores_of(run)) runs.erase(i);
  }
  runs.push_back(std::move(run));
  write();
}

void ComparisonRecord::add_failure(const std::string& device, std::int64_t batch_size,
                                   const std::string& reason) {
  record_["failed"].push_back(
      write_failed({.device = device, .reason = reason, .batch_size = batch_size}));
  write();
}

void ComparisonRecord::finish() {
  record_["agreements"] = agreements_json(comparison());
  record_["complete"] = record_["failed"].empty();
  write();
}

Comparison ComparisonRecord::comparison() const {
  RecordedRuns all = read_record(record_, where_);
  return {.runs = std::move(all.runs), .failed = std::move(all.failed)};
}

void ComparisonRecord::write() const { file_.write(record_); }

}  // namespace systole
