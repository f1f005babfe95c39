#include "host/device/checked_backend.h"

#include <fmt/format.h>

#include <utility>

#include "host/device/program_check.h"
#include "systole/support/split_mix.h"

namespace systole {
namespace {

/// The next number, as a fraction above 0 and up to 1.
double next_fraction(std::uint64_t& state) {
  const std::uint64_t bits = split_mix(state += kSplitMixStep);
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

}  // namespace

CheckedBackend::CheckedBackend(std::shared_ptr<Backend> checked, std::shared_ptr<Backend> reference,
                               const Options& options)
    : checked_(std::move(checked)),
      reference_(std::move(reference)),
      options_(options),
      random_(options.seed),
      coverage_{.reference = reference_->info().name,
                .per_mille = options.per_mille,
                .seed = options.seed} {}

bool CheckedBackend::chooses(const PlacedProgram& program) {
  const bool is_first = coverage_.programs == 0;
  ++coverage_.programs;
  coverage_.macs += program.macs;
  return is_first || next_fraction(random_) <= options_.per_mille / 1000;
}

void CheckedBackend::run(const PlacedProgram& program) {
  if (!chooses(program)) return checked_->run(program);
  ProgramCheck check(*checked_, *reference_, program);
  checked_->run(program);
  check.note();
  std::string difference;
  try {
    reference_->run(check.place());
    difference = check.difference();
  } catch (const DeviceError& error) {
    difference = stops(error);
  }
  settle(program, difference, check.used());
}

std::string CheckedBackend::stops(const DeviceError& error) const {
  return fmt::format("{} runs it and {} stops: {}", info().name, coverage_.reference, error.what());
}

void CheckedBackend::settle(const PlacedProgram& program, const std::string& difference,
                            const Counters& used) {
  if (!difference.empty()) {
    throw DeviceError(fmt::format(
        "the check against {} found a difference: program {} of {} commands: {} (after {} programs "
        "that agree, seed {})",
        coverage_.reference, coverage_.programs, program.commands.size(), difference,
        coverage_.checked_programs, options_.seed));
  }
  ++coverage_.checked_programs;
  coverage_.checked_macs += program.macs;
  coverage_.cycles += used.cycles();
}

}  // namespace systole
