#include "tests/sim/bus_master.h"

namespace systole::tests {

void BusMaster::show(sim::AxiFromDevice& from, Random& random, unsigned ready) {
  from = {};
  if (reads_asked_ < reads.size()) {
    const Read& next = reads[reads_asked_];
    from.read_request = {.address = next.address,
                         .beats_less_one = static_cast<std::uint8_t>(next.beats - 1),
                         .id = static_cast<std::uint8_t>(next.id),
                         .valid = true};
  }
  if (writes_asked_ < writes.size()) {
    const Write& next = writes[writes_asked_];
    from.write_request = {.address = next.address,
                          .beats_less_one = static_cast<std::uint8_t>(beats_of(next) - 1),
                          .valid = true};
  }
  if (writes_sent_ < writes.size()) {
    const Write& next = writes[writes_sent_];
    const auto width = static_cast<std::size_t>(bus_bytes_);
    const std::size_t before = next.address % width;
    from.write.valid = true;
    from.write.last = beat_ + 1 == beats_of(next);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t place = beat_ * width + lane;
      if (place < before || place - before >= next.bytes.size()) continue;
      from.write.data[lane] = next.bytes[place - before];
      from.write.strobe[lane / 64] |= std::uint64_t{1} << (lane % 64);
    }
  }
  from.read_ready = random.below(256) < ready;
  from.response_ready = random.below(256) < ready;
}

void BusMaster::tick(const sim::AxiFromDevice& from, const sim::AxiToDevice& to) {
  if (from.read_request.valid && to.read_request_ready) {
    reads[reads_asked_].asked_at = clock_;
    open_[from.read_request.id].push_back(reads_asked_++);
  }
  if (from.write_request.valid && to.write_request_ready) ++writes_asked_;
  if (from.write.valid && to.write_ready) {
    ++beat_;
    if (from.write.last) {
      writes[writes_sent_++].last_beat_at = clock_;
      beat_ = 0;
    }
  }
  if (to.read.valid && from.read_ready) {
    auto& queue = open_[to.read.id];
    Read& read = reads[queue.front()];
    if (read.bytes.empty()) read.first_beat_at = clock_;
    read.bytes.insert(read.bytes.end(), to.read.data.begin(), to.read.data.begin() + bus_bytes_);
    read.errors += to.read.error;
    if (to.read.last) {
      queue.pop_front();
      ++reads_done_;
    }
  }
  if (to.response.valid && from.response_ready) {
    Write& write = writes[responses_done_++];
    write.error = to.response.error;
    write.answered_at = clock_;
  }
  ++clock_;
}

}  // namespace systole::tests
