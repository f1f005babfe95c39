#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace systole::sim {

/// The chip broke, or was asked to break, one of its rules.
class SdramError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The pins of a 16-bit SDR SDRAM in one clock, as the controller drives them; cke is high, cs_n
/// low. command is {ras_n, cas_n, we_n}.
struct SdramSignals {
  std::uint8_t command = 7;
  std::uint8_t bank = 0;
  std::uint16_t address = 0;
  std::uint8_t mask = 0;
  std::uint16_t data = 0;
  bool drives = false;
};

/// An MT48LC16M16A2-75 at its pins: 4 banks of 8192 rows of 512 columns, 32 MiB.
///
/// Timing   one tick a clock; its data is what the controller sees at the end of the next clock
/// Errors   SdramError, with the clock, for a command that breaks tRCD, tRP, tRC, tRAS, tRFC, tWR,
///          tMRD or the refresh interval, one to a closed or an open bank, one before the chip is
///          initialised, a mode other than CAS latency 2 with single accesses, and a controller
///          that drives dq while the chip does
/// Source   Micron, 256Mb SDRAM data sheet, speed grade -75
class SdramModel {
 public:
  explicit SdramModel(double clock_mhz);

  /// Takes the pins after an edge; returns dq at the next one.
  std::uint16_t tick(const SdramSignals& pins);

  /// Half words of a row, for a test to look at.
  std::uint16_t half_word(int bank, int row, int column) const {
    return cells_[index(bank, row, column)];
  }
  std::uint64_t refreshes() const { return refreshes_; }

 private:
  struct Bank {
    int row = -1;  // the open one
    std::uint64_t activated = 0, precharged = 0, written = 0;
    bool was_activated = false, was_precharged = false, was_written = false;
  };
  static std::size_t index(int bank, int row, int column) {
    return static_cast<std::size_t>((row * 4 + bank) * 512 + column);
  }
  void activate(const SdramSignals& pins);
  void transfer(const SdramSignals& pins, bool is_write);
  void precharge(const SdramSignals& pins);
  void refresh();
  void set_mode(const SdramSignals& pins);
  /// Refuses an event that comes less than `ns` after the one at `then`.
  void keep(std::string_view rule, double ns, std::uint64_t then) const;
  [[noreturn]] void refuse(std::string_view what) const;

  double clock_ns_;
  std::uint64_t now_ = 0;
  std::array<Bank, 4> banks_;
  std::vector<std::uint16_t> cells_;
  bool has_mode_ = false;
  std::uint64_t mode_set_ = 0, refreshed_ = 0, refreshes_ = 0;
  bool drives_next_ = false;        // the chip drives dq at the end of the next clock
  std::uint64_t drives_until_ = 0;  // clocks before this one in which it may drive
  std::uint16_t next_data_ = 0;
};

}  // namespace systole::sim
