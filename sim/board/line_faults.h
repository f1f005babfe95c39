#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "systole/cosim/random.h"

namespace systole::sim {

/// What may happen to a byte on the line.
enum class LineFault : std::uint8_t { kLost, kFlipped, kDoubled, kLate, kForeign };
inline constexpr std::array<std::string_view, 5> kLineFaultNames = {"lost", "flipped", "doubled",
                                                                    "late", "foreign"};

/// Does harm to a line's bytes, at random: a byte in `every` is lost, has a bit flipped, comes
/// twice, comes late with all that follow, or has a foreign one before it.
class LineFaults {
 public:
  LineFaults(std::uint64_t seed, std::uint32_t every) : random_(seed), every_(every) {}

  /// A byte on its way, and whether the line pauses before it.
  struct Passed {
    std::uint8_t byte;
    bool late;
  };

  void pass(std::uint8_t byte, std::vector<Passed>& out) {
    if (every_ == 0 || random_.below(every_) != 0) {
      out.push_back({byte, false});
      return;
    }
    const auto fault = static_cast<LineFault>(random_.below(kLineFaultNames.size()));
    ++counts_[static_cast<std::size_t>(fault)];
    const auto flipped = static_cast<std::uint8_t>(byte ^ 1U << random_.below(8));
    switch (fault) {
      case LineFault::kLost:
        return;
      case LineFault::kFlipped:
        out.push_back({flipped, false});
        return;
      case LineFault::kDoubled:
        out.push_back({byte, false});
        break;
      case LineFault::kLate:
        out.push_back({byte, true});
        return;
      case LineFault::kForeign:
        out.push_back({static_cast<std::uint8_t>(random_.bits()), false});
        break;
    }
    out.push_back({byte, false});
  }

  const std::array<std::uint64_t, 5>& counts() const { return counts_; }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += count;
    return sum;
  }

 private:
  cosim::Random random_;
  std::uint32_t every_;
  std::array<std::uint64_t, 5> counts_{};
};

}  // namespace systole::sim
