#include "host/device/program_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <span>
#include <string_view>
#include <variant>

namespace systole {
namespace {

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

ProgramCheck::ProgramCheck(Backend& checked, Backend& reference, const PlacedProgram& program)
    : checked_(checked),
      reference_(reference),
      program_(program),
      sample_(take_sample(checked.memory(), program)),
      checked_before_(checked.counters()),
      reference_before_(reference.counters()) {}

void ProgramCheck::note() {
  got_ = checked_.counters() - checked_before_;
  results_ = take_sample(checked_.memory(), program_).memory;
}

PlacedProgram ProgramCheck::place() { return placed_.emplace(reference_, sample_).program(); }

std::string ProgramCheck::difference() const {
  const std::string& checked = checked_.info().name;
  const std::string& reference = reference_.info().name;
  std::string differs =
      systole::difference(program_, results_, placed_->memory(), checked, reference);
  if (differs.empty() && got_.counts != used().counts) {
    differs = "it takes " + systole::difference(got_, used(), checked, reference);
  }
  return differs;
}

Counters ProgramCheck::used() const { return reference_.counters() - reference_before_; }

}  // namespace systole
