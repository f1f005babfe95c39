#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace systole::sim {

/// A serial line without wires: what a program writes to path() can be read here, and the reverse.
///
/// Errors   std::system_error if the machine has no pseudo-terminals
class PseudoTerminal {
 public:
  PseudoTerminal();
  ~PseudoTerminal();
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;

  const std::string& path() const { return path_; }

  /// The bytes that are there or come in time; returns how many.
  std::size_t read(std::span<std::uint8_t> bytes, std::chrono::milliseconds timeout);
  void write(std::span<const std::uint8_t> bytes);

  /// Unplugs the line: whoever has it open finds it gone.
  void unplug();

 private:
  int near_ = -1;
  int far_ = -1;  // held open, so that the line stays while no program uses it
  std::string path_;
};

}  // namespace systole::sim
