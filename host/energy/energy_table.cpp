#include "host/energy/energy_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::energy {

const std::array<std::string_view, kCosts> kCostNames = {
    "multiply_int8", "multiply_int32", "multiply_bf16", "multiply_fp32", "add_int32", "add_fp32",
    "sram_8_kib",    "sram_32_kib",    "sram_1_mib",    "memory",        "link"};

namespace {

constexpr const char* kHorowitz = "Horowitz, ISSCC 2014";
constexpr const char* kJouppi = "Jouppi et al., ISCA 2021, table 2";

// Memory and links have processes of their own.
constexpr std::size_t kOfProcess = static_cast<std::size_t>(Cost::kMemory);
using Published = std::array<double, kOfProcess>;
constexpr double kNone = 0;
constexpr Published k45 = {0.2, 3.1, kNone, 3.7, 0.1, 0.9, 10, 20, 100};
constexpr Published k7 = {0.07, 1.48, 0.21, 1.31, 0.03, 0.38, 7.5, 8.5, 14};
// A 16-bit IEEE multiplication, which both publications have.
constexpr double kMultiplyFp16At45 = 1.1, kMultiplyFp16At7 = 0.34;

constexpr double kNode45 = 45, kNode16 = 16, kNode7 = 7;

// A TPU v2 has two cores of 128 x 128 elements.
constexpr double kIdleWatts = 53, kIdleElements = 2.0 * 128 * 128;

std::array<Number, kCosts> published(const Published& numbers, const char* source) {
  std::array<Number, kCosts> all;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    all[i] = {.picojoules = numbers[i], .source = source};
  }
  return all;
}

std::array<Number, kCosts> at_45() {
  auto all = published(k45, kHorowitz);
  auto& bf16 = all[static_cast<std::size_t>(Cost::kMultiplyBf16)];
  const double at_7 = k7[static_cast<std::size_t>(Cost::kMultiplyBf16)];
  bf16 = {.picojoules = kMultiplyFp16At45 * at_7 / kMultiplyFp16At7,
          .is_scaled = true,
          .source =
              "a 16-bit IEEE multiplication's 1.1 (Horowitz) by the ratio of the two at 7 nm, "
              "0.21 / 0.34 (Jouppi et al.)"};
  return all;
}

std::array<Number, kCosts> at_16() {
  const auto large = at_45(), small = published(k7, kJouppi);
  const double place = std::log(kNode45 / kNode16) / std::log(kNode45 / kNode7);
  std::array<Number, kCosts> all;
  for (std::size_t i = 0; i < kOfProcess; ++i) {
    const double from = large[i].picojoules, to = small[i].picojoules;
    all[i] = {.picojoules = from * std::pow(to / from, place),
              .is_scaled = true,
              .source = "between 45 nm and 7 nm, a power of the node"};
  }
  return all;
}

Number memory(const std::string& name) {
  if (name == "DDR4") return {.picojoules = 1300, .source = kJouppi};
  if (name == "HBM2") {
    return {.picojoules = 350, .source = fmt::format("{}: the middle of 250 to 450", kJouppi)};
  }
  throw std::invalid_argument(
      fmt::format("unknown memory \"{}\" of an energy table: choose from DDR4, HBM2", name));
}

// 1.17 pJ a bit, both ends together, in 16 nm.
Number link() {
  return {.picojoules = 64 * 1.17,
          .source = "Poulton et al., JSSC 54(1), 2019: a link on a board, both ends, 16 nm"};
}

std::array<Number, kCosts> numbers_of(const std::string& process) {
  if (process == "45 nm") return at_45();
  if (process == "16 nm") return at_16();
  if (process == "7 nm") return published(k7, kJouppi);
  throw std::invalid_argument(
      fmt::format("unknown process \"{}\" of an energy table: choose from {}", process,
                  fmt::join(processes(), ", ")));
}

}  // namespace

std::vector<std::string> processes() { return {"45 nm", "16 nm", "7 nm"}; }

double Table::sram(std::int64_t size_bytes) const {
  struct Point {
    double bytes, picojoules;
  };
  const std::array points = {Point{8.0 * 1024, (*this)[Cost::kSram8KiB].picojoules},
                             Point{32.0 * 1024, (*this)[Cost::kSram32KiB].picojoules},
                             Point{1024.0 * 1024, (*this)[Cost::kSram1MiB].picojoules}};
  const auto size = static_cast<double>(size_bytes);
  if (size <= points[0].bytes) return points[0].picojoules;
  const std::size_t i = size <= points[1].bytes ? 0 : 1;
  const double slope = std::log(points[i + 1].picojoules / points[i].picojoules) /
                       std::log(points[i + 1].bytes / points[i].bytes);
  return points[i].picojoules * std::pow(size / points[i].bytes, slope);
}

Table make_table(const EnergyOptions& options, int array_size) {
  Table table{.process = options.process, .numbers = numbers_of(options.process)};
  table.numbers[static_cast<std::size_t>(Cost::kMemory)] = memory(options.memory);
  table.numbers[static_cast<std::size_t>(Cost::kLink)] = link();
  for (const auto& [name, picojoules] : options.picojoules) {
    const auto found = std::ranges::find(kCostNames, name);
    if (found == kCostNames.end()) {
      throw std::invalid_argument(
          fmt::format("unknown number \"{}\" of an energy table: choose from {}", name,
                      fmt::join(kCostNames, ", ")));
    }
    table.numbers[static_cast<std::size_t>(found - kCostNames.begin())] = {
        .picojoules = picojoules, .source = options.source};
  }
  if (options.static_watts > 0) {
    table.static_watts = options.static_watts;
    table.static_source = options.static_source;
  } else {
    table.static_watts = kIdleWatts * array_size * array_size / kIdleElements;
    table.static_source =
        "scaled: an idle TPU v2's 53 W (Jouppi et al., ISCA 2021, table 1) by the array's elements";
  }
  return table;
}

}  // namespace systole::energy
