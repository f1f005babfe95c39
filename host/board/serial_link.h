#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/board/serial_port.h"

namespace systole {

/// What the board says of itself.
struct BoardIdentity {
  int array_size = 0;
  std::int64_t memory_bytes = 0;
  int clock_khz = 0;
};

/// How long the link waits, and how often it tries.
///
/// Units    silence: after it has sent a request, or a byte has come, and before the first byte or
///          the next; longer than the board's patience with a gap in a request (docs/board.md)
struct LinkPatience {
  std::chrono::milliseconds silence{200};
  int attempts = 8;
};

/// The host's end of the serial link: words of registers and memory, by requests that are repeated
/// until their reply comes.
///
/// Shapes   words of 32 bits; addresses are in bytes, multiples of 4; any number of words
/// Errors   the constructor throws DeviceError if no board answers, or one of another version.
///          Later, DeviceError if the line has gone, if no attempt brought a reply, and for what
///          the board refuses. A request whose reply is lost is done once, and its effect is known
/// Source   docs/board.md
class SerialLink {
 public:
  SerialLink(std::string path, int baud, LinkPatience patience = {});

  const BoardIdentity& identity() const { return identity_; }
  const std::string& path() const { return port_.path(); }

  void read_registers(std::uint32_t address, std::span<std::uint32_t> words);
  void write_registers(std::uint32_t address, std::span<const std::uint32_t> words);
  void read_memory(std::uint32_t address, std::span<std::uint32_t> words);
  void write_memory(std::uint32_t address, std::span<const std::uint32_t> words);

  /// Requests that were sent again.
  std::uint64_t retries() const { return retries_; }

 private:
  struct Exchange;

  void read(unsigned command, std::uint32_t address, std::span<std::uint32_t> words);
  void write(unsigned command, std::uint32_t address, std::span<const std::uint32_t> words);
  void exchange(const Exchange& exchange);
  bool await_reply(const Exchange& exchange, std::size_t sent_bytes);
  bool take_reply(const Exchange& exchange);
  [[noreturn]] void give_up(const Exchange& exchange) const;

  SerialPort port_;
  LinkPatience patience_;
  BoardIdentity identity_;
  std::uint8_t sequence_ = 0;
  std::vector<std::uint8_t> received_;   // in answer to the latest attempt
  std::uint64_t bytes_of_no_reply_ = 0;  // in all attempts at the exchange under way
  std::uint64_t retries_ = 0;
};

}  // namespace systole
