#include "host/device/checked_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "host/device/element_size.h"
#include "host/device/program_sample.h"
#include "systole/support/split_mix.h"

namespace systole {
namespace {

/// The next number, as a fraction above 0 and up to 1.
double next_fraction(std::uint64_t& state) {
  const std::uint64_t bits = split_mix(state += kSplitMixStep);
  return static_cast<double>((bits >> 11) + 1) * 0x1p-53;
}

bool overlap(const std::vector<AddressRange>& some, const std::vector<AddressRange>& others) {
  return std::ranges::any_of(some, [&](const AddressRange& one) {
    return std::ranges::any_of(others,
                               [&](const AddressRange& other) { return one.overlaps(other); });
  });
}

/// Whether a product can be rerun after all of them: its inputs and results are still in memory,
/// and C, if it adds to C, was there before the first product ran.
bool is_reachable(std::span<const Product> products, std::size_t index) {
  const auto reads = ranges_read(products[index]);
  const auto writes = ranges_written(products[index]);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const auto others = ranges_written(products[i]);
    if (i < index && products[index].accumulate && overlap(writes, others)) return false;
    if (i >= index && overlap(reads, others)) return false;
    if (i > index && overlap(writes, others)) return false;
  }
  return true;
}

/// The first difference, as "element (3, 17) of C is 0x.. on model, 0x.. on rtl", or empty.
std::string difference(std::string_view what, const CTile& tile, std::int64_t element_bytes,
                       const std::vector<std::byte>& got, const std::vector<std::byte>& expected,
                       std::string_view checked, std::string_view reference) {
  const auto at = std::ranges::mismatch(got, expected).in1 - got.begin();
  if (at == static_cast<std::ptrdiff_t>(got.size())) return {};
  const std::int64_t element = at / element_bytes;
  const auto bits = [&](const std::vector<std::byte>& bytes) {
    std::uint32_t word = 0;
    std::memcpy(&word, &bytes[element * element_bytes], static_cast<std::size_t>(element_bytes));
    return fmt::format("{:#0{}x}", word, 2 + 2 * element_bytes);
  };
  return fmt::format("element ({}, {}) of {} is {} on {}, {} on {}",
                     tile.first_row + element / tile.cols, tile.first_col + element % tile.cols,
                     what, bits(got), checked, bits(expected), reference);
}

/// As "17 clocks on model, 18 on rtl".
std::string difference(const Counters& got, const Counters& expected, std::string_view checked,
                       std::string_view reference) {
  return fmt::format("{} clocks on {}, {} on {}{}", got.cycles(), checked, expected.cycles(),
                     reference,
                     got.cycles() == expected.cycles() ? ", and other counters differ" : "");
}

/// The first byte of memory that differs, or empty.
std::string difference(std::uint64_t base, const std::vector<std::byte>& got,
                       const std::vector<std::byte>& expected, std::string_view checked,
                       std::string_view reference) {
  const auto [byte, other] = std::ranges::mismatch(got, expected);
  if (byte == got.end()) return {};
  return fmt::format("the byte at {:#x} is {:#04x} on {}, {:#04x} on {}",
                     base + static_cast<std::uint64_t>(byte - got.begin()),
                     std::to_integer<int>(*byte), checked, std::to_integer<int>(*other), reference);
}

}  // namespace

CheckedBackend::CheckedBackend(std::shared_ptr<Backend> checked, std::shared_ptr<Backend> reference,
                               std::shared_ptr<Backend> replay, std::shared_ptr<Backend> twin,
                               const Options& options)
    : checked_(std::move(checked)),
      reference_(std::move(reference)),
      replay_(std::move(replay)),
      twin_(std::move(twin)),
      options_(options),
      random_(options.seed),
      coverage_{.reference = reference_->info().name,
                .per_mille = options.per_mille,
                .seed = options.seed} {
  draw_distance();
}

void CheckedBackend::draw_distance() {
  const double chance = options_.per_mille / 1000;
  // A geometric distance: the same as deciding for every tile, without visiting each.
  const double fraction = next_fraction(random_);
  const double tiles = chance >= 1 ? 0 : std::floor(std::log(fraction) / std::log1p(-chance));
  distance_ = static_cast<std::int64_t>(std::min(tiles, 1e15));
}

std::vector<CheckedBackend::Chosen> CheckedBackend::choose(std::span<const Product> products) {
  std::vector<Chosen> all;
  const int size = info().array_size;
  for (std::size_t i = 0; i < products.size(); ++i) {
    const Product& product = products[i];
    const std::int64_t tiles = tile_count(product, size);
    coverage_.tiles += static_cast<std::uint64_t>(tiles);
    std::int64_t index = distance_;
    for (; index < tiles; index += 1 + distance_) {
      if (!is_reachable(products, i)) {
        ++coverage_.unreachable;
      } else {
        Chosen chosen{.product = i, .index = index, .c_before = {}};
        if (product.accumulate) {
          chosen.c_before = read_c(memory(), product, tile_at(product, size, index));
        }
        all.push_back(std::move(chosen));
      }
      draw_distance();
    }
    distance_ = index - tiles;
  }
  return all;
}

void CheckedBackend::execute(std::span<const Product> products) {
  const std::vector<Chosen> all = choose(products);
  checked_->execute(products);
  for (const Product& product : products) coverage_.macs += product.macs();
  for (const Chosen& chosen : all) check(products, chosen);
}

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
  const std::string& reference = replay_->info().name;
  std::string differs;
  const Counters before = replay_->counters();
  try {
    const std::vector<std::byte> expected = run_sample(replay_, sample);
    differs = difference(program.base, results, expected, checked, reference);
  } catch (const DeviceError& error) {
    differs = fmt::format("{} runs it and {} stops: {}", checked, reference, error.what());
  }
  const Counters used = replay_->counters() - before;
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

void CheckedBackend::check(std::span<const Product> products, const Chosen& chosen) {
  const Product& product = products[chosen.product];
  const CTile tile = tile_at(product, info().array_size, chosen.index);
  TileSample sample = take_sample(memory(), product, tile);
  sample.c_before = chosen.c_before;
  const TileResult got = read_result(memory(), product, tile);
  const Counters before = reference_->counters();
  const TileResult expected = run_sample(reference_, sample);
  const Counters used = reference_->counters() - before;

  const std::string& checked = info().name;
  const std::string& reference = reference_->info().name;
  std::string differs =
      difference("C", tile, stored_bytes(product.format), got.c, expected.c, checked, reference);
  if (differs.empty()) {
    const CTile row{0, tile.first_col, 1, tile.cols};
    differs = difference("the column sums", row, kSumSizeBytes, got.column_sums,
                         expected.column_sums, checked, reference);
  }
  if (differs.empty() && twin_ != nullptr) {
    const Counters twin_before = twin_->counters();
    run_sample(twin_, sample);
    const Counters modelled = twin_->counters() - twin_before;
    if (!(modelled == used)) {
      differs = "its program takes " + difference(modelled, used, checked, reference);
    }
  }
  if (!differs.empty()) {
    throw DeviceError(fmt::format(
        "the check against {} found a difference: {}, rows {} to {} and columns {} to "
        "{} of C: {} (after {} tiles that agree, seed {})",
        reference, describe(product), tile.first_row, tile.first_row + tile.rows - 1,
        tile.first_col, tile.first_col + tile.cols - 1, differs, coverage_.checked, options_.seed));
  }
  ++coverage_.checked;
  coverage_.checked_macs += static_cast<std::uint64_t>(tile.rows) *
                            static_cast<std::uint64_t>(product.depth) *
                            static_cast<std::uint64_t>(tile.cols);
  coverage_.cycles += used.cycles();
}

}  // namespace systole
