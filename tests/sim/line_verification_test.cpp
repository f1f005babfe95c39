// Cores in a line, with links: random programs on the devices and in the interpreter.
#include "sim/verify/line_verification.h"

#include <catch2/catch.hpp>
#include <map>

#include "sim/verify/verify_devices.h"

namespace systole::verify {
namespace {

constexpr int kSize = 4;

/// Offers one beat in one clock, to a core that may not take it.
class LateBeat final : public sim::Neighbours {
 public:
  explicit LateBeat(int clock) : left_(clock) {}
  void show(sim::ToDevice& to) const override { to.down.in.valid = left_ == 0; }
  void clock(const sim::FromDevice&, const sim::ToDevice&) override { --left_; }

 private:
  int left_;
};

TEST_CASE("random programs of two to four cores do on their devices what the interpreter does",
          "[line]") {
  const DeviceMaker make_device = verify_device(kSize);
  std::map<LineEnding, int> met;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const LineCase which = make_line_case(seed, kSize, 2 + static_cast<int>(seed % 3));
    ++met[which.rounds.front().ending];
    const auto difference = check(which, make_device);
    INFO("seed " << seed << ": " << (difference ? difference->words : ""));
    if (difference) INFO(describe(which));
    REQUIRE(!difference);
  }
  CHECK(met.size() == kLineEndings);
}

TEST_CASE("a reset ends the same whenever a neighbour offers a last beat", "[line]") {
  const DeviceMaker make_device = verify_device(kSize);
  constexpr int kClocks = 60;  // more than the way to the reset's end
  for (int clock = 0; clock < kClocks; ++clock) {
    Case which = make_case(1, kSize);
    which.harness.lite_seed = 0;
    DeviceMemory memory = make_memory(which);
    LateBeat neighbour(clock);
    which.harness.neighbours = &neighbour;
    const auto port = make_device(which, memory);
    port->write_register(device::Register::kControl, device::kReset);
    while (port->read_register(device::Register::kStatus) != 0) continue;
    port->run(kClocks);
    INFO("a beat in clock " << clock);
    CHECK(port->read_register(device::Register::kInterruptStatus) == 0);
    CHECK(port->read_register(device::Register::kStatus) == 0);
    CHECK(port->read_counter(device::Count::kCycles) == 0);
  }
}

}  // namespace
}  // namespace systole::verify
