#include "sim/monitor/axi_monitor.h"

#include <fmt/format.h>

#include <algorithm>

namespace systole::sim {

bool AxiMonitor::WriteBeat::operator==(const WriteBeat& other) const {
  // Bytes without a strobe may change: nobody reads them.
  if (write.last != other.write.last || write.strobe != other.write.strobe) return false;
  for (std::size_t i = 0; i < width; ++i) {
    const bool counts = write.strobe[i / 64] >> (i % 64) & 1;
    if (counts && write.data[i] != other.write.data[i]) return false;
  }
  return true;
}

bool AxiMonitor::ReadBeat::operator==(const ReadBeat& other) const {
  return read.last == other.read.last && read.error == other.read.error &&
         read.id == other.read.id &&
         std::equal(read.data.begin(), read.data.begin() + static_cast<std::ptrdiff_t>(width),
                    other.read.data.begin());
}

void AxiMonitor::check(const AxiFromDevice& from, const AxiToDevice& to) {
  check_holds(from, to);
  // Answers first: what is taken in this clock was requested in an earlier one.
  if (to.read.valid) {
    if (to.read.id >= kReaders || reads_[to.read.id].empty())
      fail("R", "a beat that nobody asked for");
    if (from.read_ready) take_read(to.read);
  }
  if (to.response.valid) {
    if (responses_owed_ == 0) fail("B", "a response to no write");
    if (from.response_ready) --responses_owed_;
  }
  if (from.read_request.valid) {
    check_request("AR", from.read_request);
    if (to.read_request_ready) {
      auto& queue = reads_[from.read_request.id];
      if (queue.size() == kMostBursts) fail("AR", "more bursts outstanding than a monitor counts");
      queue.push({from.read_request.address, from.read_request.beats_less_one + 1});
    }
  }
  if (from.write_request.valid) {
    check_request("AW", from.write_request);
    if (to.write_request_ready) {
      if (writes_.size() == kMostBursts) fail("AW", "more bursts owed than a monitor counts");
      writes_.push({from.write_request.address, from.write_request.beats_less_one + 1, 0});
    }
  }
  if (from.write.valid && to.write_ready) take_write(from.write);
  ++clock_;
}

void AxiMonitor::check_holds(const AxiFromDevice& from, const AxiToDevice& to) {
  const auto width = static_cast<std::size_t>(bus_bytes_);
  const MemoryRequest& ar = from.read_request;
  const MemoryRequest& aw = from.write_request;
  ar_.check(clock_, ar.valid, to.read_request_ready,
            [&] { return TaggedRequest{{ar.address, ar.beats_less_one + 1}, ar.id}; });
  aw_.check(clock_, aw.valid, to.write_request_ready,
            [&] { return Request{aw.address, aw.beats_less_one + 1}; });
  w_.check(clock_, from.write.valid, to.write_ready, [&] { return WriteBeat{from.write, width}; });
  r_.check(clock_, to.read.valid, from.read_ready, [&] { return ReadBeat{to.read, width}; });
  b_.check(clock_, to.response.valid, from.response_ready, [&] { return to.response.error; });
}

void AxiMonitor::check_request(const char* channel, const MemoryRequest& request) const {
  const auto width = static_cast<std::uint64_t>(bus_bytes_);
  const int beats = request.beats_less_one + 1;
  if (request.id >= kReaders) {
    fail(channel, fmt::format("id {}: only 0 to {} exist", request.id, kReaders - 1));
  }
  if (request.address >> kAddressBits != 0) {
    fail(channel, fmt::format("address {:#x} has more than 40 bits", request.address));
  }
  if (beats > kMostBeats) fail(channel, fmt::format("a burst of {} beats: at most 16", beats));
  const std::uint64_t last =
      (request.address & ~(width - 1)) + static_cast<std::uint64_t>(beats) * width - 1;
  if (request.address >> 12 != last >> 12) {
    fail(channel, fmt::format("{} beats from {:#x} cross 4 KiB", beats, request.address));
  }
}

void AxiMonitor::take_write(const MemoryWrite& write) {
  // Data may be offered before its request; the memory takes it only afterwards.
  if (writes_.empty()) fail("W", "a beat that no AW announced");
  WriteBurst& burst = writes_.front();
  ++burst.taken;
  if (write.last != (burst.taken == burst.beats)) {
    fail("W", fmt::format("last is {} in beat {} of {}", write.last ? "set" : "clear", burst.taken,
                          burst.beats));
  }
  if (burst.taken == 1) {
    const std::uint64_t before = burst.address & static_cast<std::uint64_t>(bus_bytes_ - 1);
    for (std::uint64_t i = 0; i < before; ++i) {
      if (write.strobe[i / 64] >> (i % 64) & 1) {
        fail("W", fmt::format("a strobe before the burst's address {:#x}", burst.address));
      }
    }
  }
  if (burst.taken == burst.beats) {
    writes_.pop();
    ++responses_owed_;
  }
}

void AxiMonitor::take_read(const MemoryRead& read) {
  auto& queue = reads_[read.id];
  const int owed = --queue.front().beats;
  if (read.last != (owed == 0)) {
    fail("R", fmt::format("last is {}, {} beats are owed", read.last ? "set" : "clear", owed));
  }
  if (owed == 0) queue.pop();
}

void AxiMonitor::finish() const {
  for (const auto& queue : reads_) {
    if (!queue.empty()) fail("R", "data is still owed");
  }
  if (!writes_.empty()) fail("W", "data is still owed");
  if (responses_owed_ != 0) fail("B", "a response is still owed");
}

void AxiMonitor::fail(const char* channel, std::string_view what) const {
  throw ProtocolError(fmt::format("{}, clock {}: {}", channel, clock_, what));
}

}  // namespace systole::sim
