#include "host/board/serial_link.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "hls/board/link_map.h"
#include "host/device/device.h"

namespace systole {
namespace {

static_assert(std::endian::native == std::endian::little, "words are sent as they lie in memory");

using Bytes = std::vector<std::uint8_t>;
using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

constexpr std::size_t kReplyHeaderBytes = 5;

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
  return static_cast<std::uint32_t>(::crc32(0, bytes.data(), static_cast<unsigned>(bytes.size())));
}

void append(Bytes& bytes, const void* source, std::size_t count) {
  const auto* first = static_cast<const std::uint8_t*>(source);
  bytes.insert(bytes.end(), first, first + count);
}

std::string_view describe(unsigned command) {
  switch (command) {
    case link::kReadIdentity:
      return "the reading of its identity";
    case link::kReadRegisters:
      return "a read of registers";
    case link::kWriteRegisters:
      return "a write of registers";
    case link::kReadMemory:
      return "a read of memory";
    default:
      return "a write of memory";
  }
}

}  // namespace

/// A request and where the words of its reply go.
struct SerialLink::Exchange {
  std::uint8_t sequence;
  unsigned command;
  std::uint32_t address;
  std::span<const std::uint32_t> sends;
  std::span<std::uint32_t> receives;
};

SerialLink::SerialLink(std::string path, int baud, LinkPatience patience)
    : port_(std::move(path), baud), patience_(patience) {
  std::array<std::uint32_t, link::kIdentityWords> words{};
  read(link::kReadIdentity, 0, words);
  if (words[link::kIdentityMagic] != link::kMagic) {
    throw DeviceError(
        fmt::format("what answers on {} is no Systole board: load its bitstream", port_.path()));
  }
  if (const std::uint32_t version = words[link::kIdentityVersion]; version != link::kVersion) {
    throw DeviceError(
        fmt::format("the board on {} has version {} of the link, this program knows "
                    "version {}: load a bitstream built from this source",
                    port_.path(), version, link::kVersion));
  }
  identity_ = {.array_size = static_cast<int>(words[link::kIdentityArraySize]),
               .memory_bytes = words[link::kIdentityMemoryBytes],
               .clock_khz = static_cast<int>(words[link::kIdentityClockKhz])};
}

void SerialLink::read_registers(std::uint32_t address, std::span<std::uint32_t> words) {
  read(link::kReadRegisters, address, words);
}
void SerialLink::write_registers(std::uint32_t address, std::span<const std::uint32_t> words) {
  write(link::kWriteRegisters, address, words);
}
void SerialLink::read_memory(std::uint32_t address, std::span<std::uint32_t> words) {
  read(link::kReadMemory, address, words);
}
void SerialLink::write_memory(std::uint32_t address, std::span<const std::uint32_t> words) {
  write(link::kWriteMemory, address, words);
}

void SerialLink::read(unsigned command, std::uint32_t address, std::span<std::uint32_t> words) {
  while (!words.empty()) {
    const std::size_t count = std::min<std::size_t>(words.size(), link::kMostWords);
    exchange({++sequence_, command, address, {}, words.first(count)});
    words = words.subspan(count);
    address += static_cast<std::uint32_t>(link::kWordBytes * count);
  }
}

void SerialLink::write(unsigned command, std::uint32_t address,
                       std::span<const std::uint32_t> words) {
  while (!words.empty()) {
    const std::size_t count = std::min<std::size_t>(words.size(), link::kMostWords);
    exchange({++sequence_, command, address, words.first(count), {}});
    words = words.subspan(count);
    address += static_cast<std::uint32_t>(link::kWordBytes * count);
  }
}

void SerialLink::exchange(const Exchange& exchange) {
  const auto count =
      static_cast<std::uint16_t>(std::max(exchange.sends.size(), exchange.receives.size()));
  Bytes frame{link::kRequestStart, exchange.sequence, static_cast<std::uint8_t>(exchange.command)};
  append(frame, &count, sizeof count);
  append(frame, &exchange.address, sizeof exchange.address);
  append(frame, exchange.sends.data(), exchange.sends.size_bytes());
  const std::uint32_t check = checksum(std::span(frame).subspan(1));
  append(frame, &check, sizeof check);

  bytes_of_no_reply_ = 0;
  for (int attempt = 0; attempt < patience_.attempts; ++attempt) {
    retries_ += attempt != 0 ? 1 : 0;
    received_.clear();
    port_.drop_input();
    const Milliseconds line_time(frame.size() * 10'000 / static_cast<std::size_t>(port_.baud()));
    port_.write(frame, line_time + Milliseconds(5000));
    if (await_reply(exchange, frame.size())) return;
    bytes_of_no_reply_ += received_.size();
  }
  give_up(exchange);
}

/// Reads until the reply has come, or nothing comes, or far more than a reply has.
bool SerialLink::await_reply(const Exchange& exchange, std::size_t sent_bytes) {
  const std::size_t reply_bytes =
      1 + kReplyHeaderBytes + exchange.receives.size_bytes() + link::kWordBytes + link::kCheckBytes;
  std::array<std::uint8_t, 4096> piece;
  // The line may still be sending when the port has taken the request.
  Milliseconds patience = patience_.silence + Milliseconds(sent_bytes * 10'000 /
                                                           static_cast<std::size_t>(port_.baud()));
  while (received_.size() < 4 * (reply_bytes + piece.size())) {
    const std::size_t count = port_.read(piece, patience);
    if (count == 0) return false;
    append(received_, piece.data(), count);
    if (take_reply(exchange)) return true;
    patience = patience_.silence;
  }
  return false;
}

/// Finds the reply in what has come, which may begin and end with other bytes.
bool SerialLink::take_reply(const Exchange& exchange) {
  const auto count = static_cast<std::uint16_t>(exchange.receives.size());
  const std::array<std::uint8_t, kReplyHeaderBytes> header{
      link::kReplyStart, exchange.sequence, static_cast<std::uint8_t>(exchange.command),
      static_cast<std::uint8_t>(count & 0xff), static_cast<std::uint8_t>(count >> 8)};
  const std::size_t payload_bytes = exchange.receives.size_bytes();
  const std::size_t checked_bytes = kReplyHeaderBytes - 1 + payload_bytes + link::kWordBytes;
  auto place = received_.begin();
  for (;; ++place) {
    place = std::search(place, received_.end(), header.begin(), header.end());
    const auto left = static_cast<std::size_t>(received_.end() - place);
    if (left < 1 + checked_bytes + link::kCheckBytes) return false;
    const std::span<const std::uint8_t> checked(&*place + 1, checked_bytes);
    std::uint32_t check = 0;
    std::memcpy(&check, checked.data() + checked_bytes, sizeof check);
    if (check != checksum(checked)) continue;
    const std::uint8_t* payload = checked.data() + kReplyHeaderBytes - 1;
    if (payload_bytes != 0) std::memcpy(exchange.receives.data(), payload, payload_bytes);
    std::uint32_t status = 0;
    std::memcpy(&status, payload + payload_bytes, sizeof status);
    if (status == link::kDone) return true;
    const std::string_view why = status == link::kRefused   ? "the accelerator refuses it"
                                 : status == link::kOutside ? "the board has no such memory"
                                                            : "it knows no such request";
    throw DeviceError(fmt::format("{} at {:#x} by the board on {} failed: {}",
                                  describe(exchange.command), exchange.address, port_.path(), why));
  }
}

void SerialLink::give_up(const Exchange& exchange) const {
  const std::string what =
      fmt::format("the board on {} does not reply to {} in {} attempts at {} baud: ", port_.path(),
                  describe(exchange.command), patience_.attempts, port_.baud());
  if (bytes_of_no_reply_ == 0) {
    throw DeviceError(what + "nothing comes; check that it is switched on and has its bitstream");
  }
  throw DeviceError(what + fmt::format("{} bytes came that are no reply; is this the bitstream's "
                                       "baud rate, and does the cable hold it? A lower one is "
                                       "named after an @, as in board:{}@1000000",
                                       bytes_of_no_reply_, port_.path()));
}

}  // namespace systole
