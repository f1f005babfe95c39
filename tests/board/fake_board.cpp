#include "tests/board/fake_board.h"

#include <array>
#include <chrono>
#include <cstring>

namespace systole::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;
using std::chrono::milliseconds;

/// A bit at a time, unlike the link's own.
std::uint32_t checksum(const std::uint8_t* bytes, std::size_t count) {
  std::uint32_t check = 0xffffffff;
  for (std::size_t i = 0; i < 8 * count; ++i) {
    const bool bit = ((check ^ bytes[i / 8] >> i % 8) & 1) != 0;
    check = check >> 1 ^ (bit ? 0xedb88320 : 0);
  }
  return ~check;
}

std::uint32_t word_at(const Bytes& bytes, std::size_t place) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + place, sizeof word);
  return word;
}

void append(Bytes& bytes, std::uint32_t word) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(word >> 8 * i));
}

}  // namespace

FakeBoard::FakeBoard(Options options)
    : memory(kMemoryWords),
      options_(options),
      path_(line_.path()),
      to_board_(options.seed, options.fault_every),
      to_host_(~options.seed, options.fault_every),
      thread_([this] { serve(); }) {}

FakeBoard::~FakeBoard() { unplug(); }

void FakeBoard::unplug() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void FakeBoard::serve() {
  std::array<std::uint8_t, 4096> bytes;
  while (!stop_) {
    const std::size_t count = line_.read(bytes, milliseconds(5));
    if (count == 0) frame_.clear();  // its patience is at an end
    if (options_.mute) continue;
    std::vector<sim::LineFaults::Passed> passed;
    for (std::size_t i = 0; i < count; ++i) to_board_.pass(bytes[i], passed);
    for (const auto& [byte, late] : passed) {
      if (late) frame_.clear();
      take(byte);
    }
  }
  line_.unplug();
}

void FakeBoard::take(std::uint8_t byte) {
  if (frame_.empty() && byte != 0xa5) return;
  frame_.push_back(byte);
  if (frame_.size() < 9) return;
  const std::size_t words = frame_[3] | frame_[4] << 8;
  if (words > 1024) return frame_.clear();
  const bool writes = (frame_[2] & 1) != 0;
  const std::size_t size = 1 + 8 + (writes ? 4 * words : 0) + 4;
  if (frame_.size() < size) return;
  Bytes request;
  request.swap(frame_);
  if (word_at(request, size - 4) == checksum(request.data() + 1, size - 5)) {
    send(options_.babbles ? Bytes(40, 0x5a) : reply_to(request));
  }
}

std::vector<std::uint8_t> FakeBoard::reply_to(const Bytes& request) {
  const std::uint8_t sequence = request[1], command = request[2];
  const std::uint32_t count = request[3] | request[4] << 8, address = word_at(request, 5);
  const bool writes = (command & 1) != 0;
  const bool known = command == 0 || (command >= 2 && command <= 5);
  const bool repeats = writes && sequence == last_;
  last_ = sequence;
  if (!repeats) status_ = known ? 0 : 1;
  if (!repeats && writes) ++writes_done;
  Bytes reply{0x5a, sequence, command};
  const std::uint32_t replied = known && !writes ? count : 0;
  reply.push_back(static_cast<std::uint8_t>(replied));
  reply.push_back(static_cast<std::uint8_t>(replied >> 8));
  const std::array<std::uint32_t, 8> identity{options_.magic, options_.version, options_.array_size,
                                              4 * kMemoryWords, 40'000};
  for (std::uint32_t i = 0; known && i < count; ++i) {
    const std::uint32_t place = address + 4 * i;
    std::uint32_t word = writes ? word_at(request, 9 + 4 * i) : 0;
    const bool is_register = command == 2 || command == 3;
    if (command == 0) word = identity[place / 4 % 8];
    if (is_register) {
      const auto found = registers.find(place);
      if (found == registers.end()) {
        status_ = 2;
      } else if (writes && !repeats) {
        found->second = word;
      } else {
        word = found->second;
      }
    }
    if (command >= 4) {
      if (place / 4 >= memory.size()) {
        status_ = 3;
      } else if (writes && !repeats) {
        memory[place / 4] = word;
      } else {
        word = memory[place / 4];
      }
    }
    if (!writes) append(reply, word);
  }
  append(reply, status_);
  append(reply, checksum(reply.data() + 1, reply.size() - 1));
  return reply;
}

void FakeBoard::send(const Bytes& bytes) {
  std::vector<sim::LineFaults::Passed> passed;
  for (const std::uint8_t byte : bytes) to_host_.pass(byte, passed);
  for (const auto& [byte, late] : passed) {
    if (late) std::this_thread::sleep_for(milliseconds(15));
    line_.write({&byte, 1});
  }
}

}  // namespace systole::tests
