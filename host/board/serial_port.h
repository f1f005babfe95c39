#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace systole {

/// A serial line or a pseudo-terminal: bytes as they are, 8 data bits, no parity, one stop bit, no
/// flow control.
///
/// Limits   one program at a time
/// Errors   DeviceError for a path that is no serial line or is in use, a baud rate that the driver
///          does not take, and a line that has gone. Nothing waits longer than it is told to
class SerialPort {
 public:
  using Milliseconds = std::chrono::milliseconds;

  SerialPort(std::string path, int baud);
  ~SerialPort();
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  const std::string& path() const { return path_; }
  int baud() const { return baud_; }

  /// Writes all of it.
  ///
  /// Errors   DeviceError if the line does not take it in time
  void write(std::span<const std::uint8_t> bytes, Milliseconds timeout);

  /// Reads what is there, or the first bytes that come; returns how many, 0 if none came in time.
  std::size_t read(std::span<std::uint8_t> bytes, Milliseconds timeout);

  /// Drops what has come and was not read.
  void drop_input();

 private:
  void set_up();
  bool wait_for(short event, Milliseconds timeout) const;
  [[noreturn]] void has_gone() const;

  std::string path_;
  int baud_;
  int file_;
};

}  // namespace systole
