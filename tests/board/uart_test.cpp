// The board's UART, at many divisors, against a line in C++.
#include "hls/board/uart.h"

#include <catch2/catch.hpp>
#include <vector>

#include "sim/board/uart_model.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

/// The receiver and the transmitter, joined: what comes in goes out again.
class Echo {
 public:
  bool clock(bool line, UInt16 step) {
    bytes_.push({.valid = valid_, .data = byte_});
    receiver_.connect(UInt1::from(line), step, byte_, valid_);
    sender_.connect(bytes_, step, line_);
    bytes_.update();
    return static_cast<bool>(line_);
  }
  Echo() {
    bytes_.reset();
    valid_ = UInt1(0);
  }

 private:
  Process<&board::receive_bytes> receiver_;
  Process<&board::send_bytes> sender_;
  Channel<UInt8, 512> bytes_;  // the transmitter takes a clock more a byte than the line
  UInt8 byte_;
  UInt1 valid_;
  UInt1 line_;
};

std::vector<std::uint8_t> echoed(double clocks_per_bit, double host_clocks_per_bit,
                                 const std::vector<std::uint8_t>& bytes) {
  Echo echo;
  sim::UartModel host(host_clocks_per_bit);
  for (const std::uint8_t byte : bytes) host.send(byte);
  const auto step = UInt16::from(static_cast<std::uint64_t>(65536 / clocks_per_bit + 0.5));
  bool line = true;
  std::vector<std::uint8_t> back;
  const auto clocks =
      static_cast<int>((static_cast<double>(bytes.size()) + 3) * 11 * clocks_per_bit);
  for (int clock = 0; clock < clocks; ++clock) {
    line = echo.clock(host.tick(line), step);
    while (const auto byte = host.take()) back.push_back(*byte);
  }
  return back;
}

}  // namespace

TEST_CASE("bytes come back at every divisor, whole or not", "[board]") {
  Random random(11);
  std::vector<std::uint8_t> bytes(300);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
  for (const double clocks : {2.0, 3.0, 4.0, 8.0, 40.0 / 3, 20.0, 21.7}) {
    INFO(clocks << " clocks a bit");
    CHECK(echoed(clocks, clocks, bytes) == bytes);
  }
}

TEST_CASE("two ends may differ by two per cent in their clocks, not by ten", "[board]") {
  const std::vector<std::uint8_t> bytes(50, 0x55);
  CHECK(echoed(20, 20.4, bytes) == bytes);
  CHECK(echoed(20, 19.6, bytes) == bytes);
  CHECK(echoed(20, 22.5, bytes) != bytes);
}

}  // namespace systole::tests
