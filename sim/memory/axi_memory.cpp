#include "sim/memory/axi_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "sim/memory/next_reader.h"

namespace systole::sim {
namespace {

constexpr std::uint8_t kNotRead = 0xa5;

std::uint64_t low_bits(int count) {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

// Whether every byte of a beat has its strobe set.
bool all_set(const MemoryWrite& write, int bus_bytes) {
  if (bus_bytes <= 64) return write.strobe[0] == low_bits(bus_bytes);
  return std::all_of(write.strobe.begin(), write.strobe.begin() + bus_bytes / 64,
                     [](std::uint64_t bits) { return bits == ~std::uint64_t{0}; });
}

}  // namespace

AxiMemory::AxiMemory(DeviceMemory& memory, int bus_bytes, MemoryBehaviour behaviour,
                     Carries carries)
    : memory_(memory),
      bus_bytes_(bus_bytes),
      behaviour_(std::move(behaviour)),
      carries_(carries),
      pace_(bus_bytes, behaviour_) {
  if (!std::has_single_bit(static_cast<unsigned>(bus_bytes)) || bus_bytes > kMaxBusBytes) {
    throw std::invalid_argument(fmt::format(
        "memory: a bus has a power of two of bytes, at most {}, not {}", kMaxBusBytes, bus_bytes));
  }
  check_behaviour(behaviour_);
  reset();
}

void AxiMemory::reset() {
  now_ = 0;
  pace_ = ChannelPace(bus_bytes_, behaviour_);
  for (auto& queue : reads_) queue.clear();
  writes_.clear();
  responses_.clear();
  reads_outstanding_ = writes_outstanding_ = 0;
  read_count_ = write_count_ = 0;
}

void AxiMemory::tick(const AxiFromDevice& from, AxiToDevice& to) {
  // The transfers at this edge.
  if (to.read.valid && from.read_ready) {
    if (to.read.last) --reads_outstanding_;
    to.read.valid = false;
  }
  if (to.response.valid && from.response_ready) {
    --writes_outstanding_;
    to.response.valid = false;
  }
  if (from.write.valid && to.write_ready) take_write(from.write);
  if (from.read_request.valid && to.read_request_ready) {
    const MemoryRequest& request = from.read_request;
    reads_[request.id % kReaders].push(
        start(request, true, behaviour_.read_error_every, read_count_));
    ++reads_outstanding_;
  }
  if (from.write_request.valid && to.write_request_ready) {
    writes_.push(start(from.write_request, false, behaviour_.write_error_every, write_count_));
    ++writes_outstanding_;
  }

  // The signals of the next clock.
  ++now_;
  pace_.tick();
  to.read_request_ready =
      reads_outstanding_ < behaviour_.bursts && !pace_.stalled(ChannelPace::kReadRequest);
  to.write_request_ready =
      writes_outstanding_ < behaviour_.bursts && !pace_.stalled(ChannelPace::kWriteRequest);
  to.write_ready = !writes_.empty() && pace_.may_write();
  if (!to.read.valid && reads_outstanding_ != 0) show_read(to.read);
  if (!to.response.valid && !responses_.empty() && responses_.front().ready_at <= now_ &&
      !pace_.stalled(ChannelPace::kResponse)) {
    to.response = {.valid = true, .error = responses_.front().error};
    responses_.pop();
  }
}

AxiMemory::Burst AxiMemory::start(const MemoryRequest& request, bool is_read, int nth,
                                  int& count) const {
  const auto width = static_cast<std::uint64_t>(bus_bytes_);
  const std::uint64_t aligned = request.address & ~(width - 1);
  const std::uint64_t size = (request.beats_less_one + std::uint64_t{1}) * width;
  ++count;
  return {.address = request.address,
          .bytes = memory_.find(aligned, size),
          .ready_at = now_ + static_cast<std::uint64_t>(behaviour_.latency),
          .beats = request.beats_less_one + 1,
          .error = (nth != 0 && count % nth == 0) ||
                   (!is_read && in_error_range(request.address, aligned + size - 1, false))};
}

bool AxiMemory::in_error_range(std::uint64_t first, std::uint64_t last, bool is_read) const {
  return std::ranges::any_of(behaviour_.error_ranges, [&](const ErrorRange& range) {
    return range.meets(first, last, is_read);
  });
}

void AxiMemory::advance(Burst& burst) const {
  const auto width = static_cast<std::uint64_t>(bus_bytes_);
  burst.address = (burst.address & ~(width - 1)) + width;
  if (burst.bytes != nullptr) burst.bytes += bus_bytes_;
  --burst.beats;
}

void AxiMemory::take_write(const MemoryWrite& write) {
  Burst& burst = writes_.front();
  pace_.count_write();
  // A burst chosen to fail writes nothing; one that runs past the end of a block fails from there
  // on.
  if (carries_ == Carries::kAll && !burst.error && !write_bytes(burst, write)) burst.error = true;
  advance(burst);
  if (burst.beats != 0) return;
  responses_.push({.ready_at = now_ + static_cast<std::uint64_t>(behaviour_.write_latency),
                   .error = burst.error});
  writes_.pop();
}

bool AxiMemory::write_bytes(const Burst& burst, const MemoryWrite& write) const {
  const auto width = static_cast<std::size_t>(bus_bytes_);
  if (burst.bytes != nullptr && all_set(write, bus_bytes_)) {
    std::memcpy(burst.bytes, write.data.data(), width);
    return true;
  }
  const std::uint64_t aligned = burst.address & ~static_cast<std::uint64_t>(width - 1);
  bool inside = true;
  for (std::size_t i = 0; i < width; ++i) {
    if ((write.strobe[i / 64] >> (i % 64) & 1) == 0) continue;
    std::byte* byte = burst.bytes != nullptr ? burst.bytes + i : memory_.find(aligned + i, 1);
    if (byte == nullptr) {
      inside = false;
    } else {
      *byte = static_cast<std::byte>(write.data[i]);
    }
  }
  return inside;
}

void AxiMemory::show_read(MemoryRead& read) {
  if (!pace_.may_read()) return;
  const int id = next_reader(reads_, now_, behaviour_.mix_reads, pace_);
  if (id < 0) return;
  pace_.count_read();
  Burst& burst = reads_[id].front();
  read.valid = true;
  read.id = static_cast<std::uint8_t>(id);
  read.last = burst.beats == 1;
  read.error = !read_bytes(burst, read) || burst.error;
  advance(burst);
  if (burst.beats == 0) reads_[id].pop();
}

bool AxiMemory::read_bytes(const Burst& burst, MemoryRead& read) const {
  const auto width = static_cast<std::size_t>(bus_bytes_);
  const std::uint64_t aligned = burst.address & ~static_cast<std::uint64_t>(width - 1);
  const std::size_t before = burst.address - aligned;
  bool inside = true;
  if (carries_ == Carries::kPrograms && read.id == kReadsLoads) {
    inside = burst.bytes != nullptr || memory_.find(burst.address, 1) != nullptr;
    if (behaviour_.error_ranges.empty()) return inside;
    return inside && !in_error_range(burst.address, aligned + width - 1, true);
  }
  if (burst.bytes != nullptr) {
    std::memcpy(read.data.data(), burst.bytes, width);
  } else {
    // A beat that begins in a block may reach past its end; the bytes there read as zero.
    inside = memory_.find(burst.address, 1) != nullptr;
    for (std::size_t i = 0; i < width; ++i) {
      const std::byte* byte = memory_.find(aligned + i, 1);
      read.data[i] = byte != nullptr ? static_cast<std::uint8_t>(*byte) : std::uint8_t{0};
    }
  }
  std::memset(read.data.data(), kNotRead, before);
  if (behaviour_.error_ranges.empty()) return inside;
  return inside && !in_error_range(burst.address, aligned + width - 1, true);
}

}  // namespace systole::sim
