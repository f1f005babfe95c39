#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "host/cli/json_file.h"
#include "host/report/comparison.h"

namespace systole {

/// The record of a comparison while it grows: written anew after every run, so that whatever cuts
/// the comparison short, the runs that were done are there.
class ComparisonRecord {
 public:
  /// `same_for_all` are the keys that all runs have in common: model, dataset, test_samples.
  /// With `resume`, takes up the runs that are in the file at `path` already.
  ///
  /// Errors   std::runtime_error for a file that cannot be written, or, with `resume`, one that is
  ///          no comparison, or of another network, data set or number of test samples
  ComparisonRecord(const std::string& path, nlohmann::ordered_json same_for_all, bool resume);

  /// Whether a run with this `config` and this marked step is there already.
  bool has(const nlohmann::ordered_json& config, std::int64_t mark_step) const;

  void add(nlohmann::ordered_json run);
  void add_failure(const std::string& device, std::int64_t batch_size, const std::string& reason);
  void finish();  ///< adds the agreements, and that nothing is missing

  /// The runs that are there, in the order of the subjects' first and by batch size.
  Comparison comparison() const;

 private:
  void write() const;

  JsonFile file_;
  std::string where_;
  nlohmann::ordered_json record_;
};

}  // namespace systole
