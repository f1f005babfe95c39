#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace systole::sim {

/// The other end of the board's serial line: bits to and from bytes, by clocks of the board.
///
/// Units    clocks_per_bit: 2 or more, any fraction
class UartModel {
 public:
  explicit UartModel(double clocks_per_bit) : clocks_per_bit_(clocks_per_bit) {}

  void send(std::uint8_t byte) { waiting_.push_back(byte); }

  /// Leaves the line idle for so many clocks before the next byte.
  void pause(std::int32_t clocks) { waiting_.push_back(-clocks); }

  /// One clock: takes the board's line, returns what the board sees.
  bool tick(bool board_line) {
    receive(board_line);
    const bool line = level();
    clock_ += 1;
    return line;
  }

  /// A byte that the board has sent.
  std::optional<std::uint8_t> take() {
    if (received_.empty()) return std::nullopt;
    const std::uint8_t byte = received_.front();
    received_.pop_front();
    return byte;
  }

  bool idle() const { return waiting_.empty() && sent_bits_ == 0 && !receiving_; }

 private:
  bool level() {
    if (sent_bits_ == 0) {
      if (waiting_.empty()) return true;
      if (waiting_.front() < 0) {
        if (++waiting_.front() == 0) waiting_.pop_front();
        return true;
      }
      frame_ = waiting_.front() << 1 | 1 << 9;  // start bit, data, stop bit
      waiting_.pop_front();
      sent_bits_ = 1;
      // Back to back, bytes keep the line's pace whatever the clock's fraction.
      bit_end_ = (bit_end_ > clock_ - 1 ? bit_end_ : clock_) + clocks_per_bit_;
    } else if (clock_ >= bit_end_) {
      bit_end_ += clocks_per_bit_;
      ++sent_bits_;
      if (sent_bits_ > 10) {
        sent_bits_ = 0;
        bit_end_ -= clocks_per_bit_;
        return level();
      }
    }
    return (frame_ >> (sent_bits_ - 1) & 1) != 0;
  }

  void receive(bool line) {
    if (!receiving_) {
      if (line) return;
      receiving_ = true;
      bits_ = 0;
      received_bits_ = 0;
      sample_ = clock_ + 1.5 * clocks_per_bit_ - 0.5;
      return;
    }
    if (clock_ < sample_) return;
    sample_ += clocks_per_bit_;
    if (received_bits_ < 8) {
      bits_ |= static_cast<unsigned>(line) << received_bits_++;
      return;
    }
    receiving_ = false;
    if (line) received_.push_back(static_cast<std::uint8_t>(bits_));  // else a framing error
  }

  double clocks_per_bit_;
  double clock_ = 0;
  std::deque<std::int32_t> waiting_;  // bytes, and pauses as negative clocks
  std::deque<std::uint8_t> received_;
  int frame_ = 0;
  int sent_bits_ = 0;
  double bit_end_ = 0;
  bool receiving_ = false;
  unsigned bits_ = 0;
  int received_bits_ = 0;
  double sample_ = 0;
};

}  // namespace systole::sim
