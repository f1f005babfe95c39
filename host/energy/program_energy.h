#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/device/action_counts.h"
#include "host/device/device_sizes.h"
#include "host/energy/energy_table.h"

namespace systole::energy {

inline constexpr double kPico = 1e-12;  ///< joules of a picojoule

/// Where a device's energy goes.
enum class Cause : std::uint8_t {
  kArray,         ///< multiplications and additions of the array
  kAccumulators,  ///< additions to sums, sums read and written, conversions on their way out
  kBuffers,       ///< rows, weights and masks
  kVector,        ///< operations of the lanes and their registers
  kMemory,        ///< beats of the bus, in the memory's chips
  kLinks,         ///< words to neighbouring cores, counted where they are sent
  kStatic,        ///< power that flows in every clock
};
inline constexpr std::size_t kCauses = 7;
extern const std::array<std::string_view, kCauses> kCauseNames;  ///< "array", ..., "static"

/// Joules, by cause.
struct Energy {
  std::array<double, kCauses> joules{};

  double operator[](Cause which) const { return joules[static_cast<std::size_t>(which)]; }
  double total() const;
};

/// Picojoules of one element's operation in the lanes of the vector engine: of an fma a
/// multiplication and an addition in fp32, of integer products those of 32 bits, of everything else
/// an addition of 32 bits.
double vector_operation(std::size_t kind, const Table& table);

/// The energy of these actions, done within `seconds`: an estimate from the table.
///
/// Numbers  exact but for rounding; left out is what docs/energy.md lists
Energy energy_of(const ActionCounts& actions, double seconds, const DeviceSizes& sizes,
                 const Table& table);

}  // namespace systole::energy
