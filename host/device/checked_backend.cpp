#include "host/device/checked_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/device/program_sample.h"
#include "systole/support/split_mix.h"

namespace systole {
namespace {

/// The next number, as a fraction above 0 and up to 1.
double next_fraction(std::uint64_t& state) {
  const std::uint64_t bits = split_mix(state += kSplitMixStep);
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

/// As "17 clocks on model, 18 on rtl".
std::string difference(const Counters& got, const Counters& expected, std::string_view checked,
                       std::string_view reference) {
  return fmt::format("{} clocks on {}, {} on {}{}", got.cycles(), checked, expected.cycles(),
                     reference,
                     got.cycles() == expected.cycles() ? ", and other counters differ" : "");
}

/// As " in element (3, 17) of C of 9 x 11 times 11 x 6, bf16": of the last product that claims to
/// write there. Empty if none does.
std::string place_of(std::uint64_t address, std::span<const ProgramUnit> units) {
  for (const ProgramUnit& unit : std::views::reverse(units)) {
    const auto* product = std::get_if<ProductUnit>(&unit);
    if (product == nullptr) continue;
    for (const ProductSpan& span : spans(product->product)) {
      if (!span.is_written || !span.range.overlaps({address, 1})) continue;
      const auto element =
          static_cast<std::int64_t>(address - span.range.address) / span.element_bytes;
      const std::int64_t cols = product->product.cols;
      return fmt::format(" in element ({}, {}) of {} of {}", element / cols, element % cols,
                         span.range.address == product->product.c ? "C" : "the column sums",
                         describe(product->product));
    }
  }
  return {};
}

/// The first byte of memory that differs, or empty.
std::string difference(const PlacedProgram& program, const std::vector<std::byte>& got,
                       const std::vector<std::byte>& expected, std::string_view checked,
                       std::string_view reference) {
  const auto [byte, other] = std::ranges::mismatch(got, expected);
  if (byte == got.end()) return {};
  const std::uint64_t address = program.base + static_cast<std::uint64_t>(byte - got.begin());
  return fmt::format("the byte at {:#x}{} is {:#04x} on {}, {:#04x} on {}", address,
                     place_of(address, program.units), std::to_integer<int>(*byte), checked,
                     std::to_integer<int>(*other), reference);
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

bool CheckedBackend::chooses_program() {
  if (coverage_.programs == 0) return true;
  return next_fraction(random_) <= options_.per_mille / 1000;
}

void CheckedBackend::run(const PlacedProgram& program) {
  const bool is_chosen = chooses_program();
  ++coverage_.programs;
  coverage_.macs += program.macs;
  if (!is_chosen) return checked_->run(program);

  const ProgramSample sample = take_sample(memory(), program);
  const Counters checked_before = checked_->counters();
  checked_->run(program);
  const Counters got = checked_->counters() - checked_before;
  const std::vector<std::byte> results = take_sample(memory(), program).memory;

  const std::string& checked = info().name;
  const std::string& reference = reference_->info().name;
  std::string differs;
  const Counters before = reference_->counters();
  try {
    const std::vector<std::byte> expected = run_sample(*reference_, sample);
    differs = difference(program, results, expected, checked, reference);
  } catch (const DeviceError& error) {
    differs = fmt::format("{} runs it and {} stops: {}", checked, reference, error.what());
  }
  const Counters used = reference_->counters() - before;
  if (differs.empty() && got.counts != used.counts) {
    differs = "it takes " + difference(got, used, checked, reference);
  }
  if (!differs.empty()) {
    throw DeviceError(fmt::format(
        "the check against {} found a difference: program {} of {} commands: {} (after {} programs "
        "that agree, seed {})",
        reference, coverage_.programs, program.commands.size(), differs, coverage_.checked_programs,
        options_.seed));
  }
  ++coverage_.checked_programs;
  coverage_.checked_macs += program.macs;
  coverage_.cycles += used.cycles();
}

}  // namespace systole
