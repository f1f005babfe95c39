#include "sim/monitor/lite_monitor.h"

#include <fmt/format.h>

namespace systole::sim {
namespace {

constexpr int kOkay = 0;
constexpr int kSlaveError = 2;

bool is_answer(int response) { return response == kOkay || response == kSlaveError; }

}  // namespace

void LiteMonitor::check(const LiteFromDevice& from, const LiteToDevice& to) {
  aw_.check(clock_, to.write_address_valid, from.write_address_ready,
            [&] { return int{to.write_address}; });
  w_.check(clock_, to.write_data_valid, from.write_data_ready,
           [&] { return Write{to.write_data, to.write_strobe}; });
  b_.check(clock_, from.write_response_valid, to.write_response_ready,
           [&] { return int{from.write_response}; });
  ar_.check(clock_, to.read_address_valid, from.read_address_ready,
            [&] { return int{to.read_address}; });
  r_.check(clock_, from.read_data_valid, to.read_data_ready,
           [&] { return ReadData{from.read_data, from.read_response}; });

  if (from.write_response_valid) {
    if (addresses_ == 0 || data_ == 0) fail("register B", "a response to no write");
    if (!is_answer(from.write_response)) fail("register B", "neither OKAY nor SLVERR");
    if (to.write_response_ready) --addresses_, --data_;
  }
  if (from.read_data_valid) {
    if (reads_ == 0) fail("register R", "data that nobody asked for");
    if (!is_answer(from.read_response)) fail("register R", "neither OKAY nor SLVERR");
    if (to.read_data_ready) --reads_;
  }
  addresses_ += to.write_address_valid && from.write_address_ready;
  data_ += to.write_data_valid && from.write_data_ready;
  reads_ += to.read_address_valid && from.read_address_ready;
  ++clock_;
}

void LiteMonitor::fail(const char* channel, const char* what) const {
  throw ProtocolError(fmt::format("{}, clock {}: {}", channel, clock_, what));
}

}  // namespace systole::sim
