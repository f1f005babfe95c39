#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "host/device/backend.h"

namespace systole {

/// Runs programs of a backend again on a second backend and compares them: the first one, and each
/// later one at random. A chosen program runs from the same memory, at the same addresses. Every
/// byte it may write and every counter must be equal.
///
/// Timing   a chosen program costs what it costs on the reference
/// Errors   run throws DeviceError at the first difference and names the program, and the byte or
///          the clocks with both values
class CheckedBackend final : public Backend {
 public:
  struct Options {
    double per_mille = 1;  ///< of the programs; above 0 and up to 1000
    std::uint64_t seed = 1;
  };

  /// Nothing else may run on `reference`.
  CheckedBackend(std::shared_ptr<Backend> checked, std::shared_ptr<Backend> reference,
                 const Options& options);

  const DeviceInfo& info() const override { return checked_->info(); }
  bool supports(DataType type) const override { return checked_->supports(type); }
  Memory& memory() override { return checked_->memory(); }
  std::optional<DeviceSizes> sizes() const override { return checked_->sizes(); }
  void run(const PlacedProgram& program) override;
  Counters counters() const override { return checked_->counters(); }
  std::optional<CheckCoverage> check_coverage() const override { return coverage_; }
  void watch_programs(ProgramWatcher watcher) override {
    checked_->watch_programs(std::move(watcher));
  }

  /// run in parts, for a line whose cores run their programs together: each program is counted, and
  /// whether it is to be checked; if so, `settle` counts it as equal or throws.
  bool chooses(const PlacedProgram& program);
  std::string stops(const DeviceError& error) const;  ///< the words of a fault of the reference
  void settle(const PlacedProgram& program, const std::string& difference, const Counters& used);

 private:
  std::shared_ptr<Backend> checked_, reference_;
  Options options_;
  std::uint64_t random_;
  CheckCoverage coverage_;
};

}  // namespace systole
