#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/device/energy_options.h"

namespace systole::energy {

/// What a published table gives an energy for. SRAM, memory and links count 64 bits.
enum class Cost : std::uint8_t {
  kMultiplyInt8,
  kMultiplyInt32,
  kMultiplyBf16,
  kMultiplyFp32,
  kAddInt32,
  kAddFp32,
  kSram8KiB,
  kSram32KiB,
  kSram1MiB,
  kMemory,
  kLink,  ///< between cores, both of its ends
};
inline constexpr std::size_t kCosts = 11;
extern const std::array<std::string_view, kCosts> kCostNames;  ///< "multiply_int8", ...

/// A number and where it comes from.
struct Number {
  double picojoules = 0;
  bool is_scaled = false;  ///< no publication has it: `source` is the rule that it follows
  std::string source;
};

/// The energies of operations in one process.
///
/// Units    picojoules; watts
/// Source   M. Horowitz, "Computing's energy problem (and what we can do about it)", ISSCC 2014
///          (45 nm); N. P. Jouppi et al., "Ten lessons from three generations shaped Google's
///          TPUv4i", ISCA 2021, table 2 (7 nm, and memories: of their pins alone) and table 1 (a
///          TPU v2's idle power); J. W. Poulton et al., JSSC 54(1), 2019 (a link)
struct Table {
  std::string process = {};
  std::array<Number, kCosts> numbers{};
  double static_watts = 0;  ///< of the whole device
  std::string static_source = {};

  const Number& operator[](Cost which) const { return numbers[static_cast<std::size_t>(which)]; }

  /// Picojoules that an access to 64 bits of an SRAM takes. Between the published sizes, and above
  /// the largest, it is a power of the size; below the smallest, it is the smallest's.
  double sram(std::int64_t size_bytes) const;
};

/// "45 nm", "16 nm", "7 nm".
std::vector<std::string> processes();

/// The table of a configuration, for an array of N x N elements.
///
/// Errors   std::invalid_argument for a process, a memory or a number that is not known, with those
///          that are
Table make_table(const EnergyOptions& options, int array_size);

}  // namespace systole::energy
