#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/json_file.h"
#include "host/report/comparison.h"

namespace systole {

/// The record of a growing comparison, rewritten after every run: an interrupted comparison keeps
/// its finished runs.
class ComparisonRecord {
 public:
  /// `same_for_all` are the keys that all runs have in common: model, dataset, test_samples.
  /// With `resume`, starts from the runs already in the file at `path`.
  ///
  /// Errors   std::runtime_error for a file that cannot be written or, with `resume`, one that is
  ///          not a comparison of the same network, data set and number of test samples
  ComparisonRecord(const std::string& path, nlohmann::ordered_json same_for_all, bool resume);

  /// Whether the record has a run with this `config`, this marked step and this number of cores.
  bool has(const nlohmann::ordered_json& config, int cores, std::int64_t mark_step) const;

  void add(nlohmann::ordered_json run);
  void add_failure(const std::string& device, std::int64_t batch_size, const std::string& reason);
  void finish();  ///< adds the agreements, and whether all runs succeeded

  /// The recorded runs, by subject in order of first appearance, then by batch size.
  Comparison comparison() const;

 private:
  void write() const;

  JsonFile file_;
  std::string where_;
  nlohmann::ordered_json record_;
};

}  // namespace systole
