#pragma once

#include "systole/hls/int.h"
#include "systole/hls/stream.h"

namespace systole::board {

using namespace systole::hls;

/// A 16-bit SDR SDRAM of 32 MiB, such as MT48LC16M16A2: 4 banks of 8192 rows of 512 columns.
///
/// Units    word addresses of 32 bits: row, bank, column of two halves, the lower half first
inline constexpr int kColumnBits = 8, kBankBits = 2, kRowBits = 13;
inline constexpr int kWordAddressBits = kRowBits + kBankBits + kColumnBits;
inline constexpr unsigned kSdramBytes = 4U << kWordAddressBits;
using WordAddress = UInt<kWordAddressBits>;

/// Commands, as {ras_n, cas_n, we_n} with cs_n low.
inline constexpr unsigned kSdramMode = 0, kSdramRefresh = 1, kSdramPrecharge = 2,
                          kSdramActivate = 3, kSdramWrite = 4, kSdramRead = 5, kSdramNothing = 7;

/// The chip's pins; the controller drives dq unless it `releases` it.
struct SdramPins {
  UInt<3> command;
  UInt<kBankBits> bank;
  UInt<kRowBits> address;
  UInt<2> mask;  ///< dqm: bytes that a write leaves alone
  UInt16 data;
  UInt1 releases;
};

/// Who is told of an access, and what else its answer says.
inline constexpr unsigned kToNobody = 0, kToReader = 1, kToWriter = 2, kToLink = 3;
struct AccessTag {
  UInt<2> to;
  UInt<2> id;  ///< as on AXI
  UInt1 last;
  UInt1 error;
};

/// A word to read, or to write where `strobe` is set.
struct SdramAccess {
  WordAddress address;
  UInt1 write;
  UInt32 data;
  UInt<4> strobe;
  AccessTag tag;
};
struct SdramAnswer {
  UInt32 data;  ///< of a read
  AccessTag tag;
};

/// Clocks of the chip's times at a clock of `mhz`, rounded up.
///
/// Source   Micron MT48LC16M16A2-75, CAS latency 2; -7E is faster
template <int kMhz>
struct SdramTimes {
  static constexpr int clocks(int tenths_of_ns) { return (tenths_of_ns * kMhz + 9999) / 10000; }
  static_assert(kMhz <= 100, "CAS latency 2 holds up to 100 MHz");
  static constexpr int kPowerUp = clocks(2'000'000);  // 200 us, twice what the chip asks for
  static constexpr int kActivate = clocks(200);       // tRCD
  static constexpr int kPrecharge = clocks(200);      // tRP
  static constexpr int kRefresh = clocks(660);        // tRFC
  static constexpr int kOpen = clocks(440);           // tRAS
  static constexpr int kWriteRecovery = clocks(150);  // tWR
  static constexpr int kMode = 2;                     // tMRD
  /// Between two refreshes: 64 ms for 8192 rows, less what may delay one.
  static constexpr int kInterval = 78125 * kMhz / 10000 - 16;
};

/// Does accesses in order on the chip, one word in two clocks while it stays in one row.
///
/// Timing   data of a read is on the pins two clocks after its command. A row stays open until an
///          access needs another one or a refresh is due. access_ready is high for one clock. What
///          leaves and what comes passes a register with no logic, enable or reset, which can be
///          the pad's own: docs/board.md has the plan of the chip's clock that needs it there
/// Limits   kAhead answers are owed at most
/// Numbers  the mode is CAS latency 2, bursts of one; every half word has its own command
template <int kMhz>
class SdramController {
 public:
  using Times = SdramTimes<kMhz>;
  static constexpr int kAhead = 8;

  struct Inputs {
    Beat<SdramAccess> access;
    UInt1 answer_ready;
    UInt16 data;  ///< from the chip
  };
  struct Outputs {
    UInt1 access_ready;
    Beat<SdramAnswer> answer;
    SdramPins pins;
  };

  Outputs outputs() const {
    return {.access_ready = second_, .answer = answers_.outputs().pop, .pins = pads_};
  }

  void clock(const Inputs& in) {
    const bool quiet = !coming_[0].is_half && !coming_[1].is_half && stays_ == 0;
    const bool reads = coming_[0].is_read || coming_[1].is_read;
    take_answer(in);
    arrived_ = in.data;
    pads_ = pins_;
    pins_.command = kSdramNothing;
    pins_.releases = 1;
    pins_.mask = 0;
    const SdramAccess access = in.access.data;
    const UInt<kRowBits> row = slice<kWordAddressBits - 1, kBankBits + kColumnBits>(access.address);
    const UInt<kBankBits> bank = slice<kBankBits + kColumnBits - 1, kColumnBits>(access.address);
    const bool due = since_refresh_ >= Times::kInterval;
    const bool hits = open_ && row == row_ && bank == bank_;
    const bool answered = access.tag.to != kToNobody;
    const bool may = !(access.write && reads) && !(answered && owed_ == kAhead);
    if (stays_ != 0) stays_ -= 1;
    if (since_refresh_ != ~Since(0)) since_refresh_ += 1;
    if (second_) {
      transfer(access, 1);
      second_ = 0;
    } else if (wait_ != 0) {
      wait_ -= 1;
    } else if (step_ != kRunning) {
      start();
    } else if (due && !open_) {
      refresh();
    } else if (due || (in.access.valid && open_ && !hits)) {
      if (quiet) precharge();
    } else if (in.access.valid && !open_) {
      pins_.command = kSdramActivate;
      pins_.bank = bank;
      pins_.address = row;
      row_ = row;
      bank_ = bank;
      open_ = 1;
      wait_ = Times::kActivate - 1;
      stays_ = Times::kOpen - 1;
    } else if (in.access.valid && may) {
      transfer(access, 0);
      second_ = 1;
      if (answered) owed_ += 1;
    }
  }

  void reset() {
    pins_.command = kSdramNothing;
    pins_.releases = 1;
    pins_.mask = 3;
    answers_.reset();
    for (Coming& half : coming_) half = {};
    open_ = 0;
    second_ = 0;
    step_ = 0;
    wait_ = Times::kPowerUp;
    stays_ = 0;
    since_refresh_ = 0;
    owed_ = 0;
  }

 private:
  /// A half word whose command has left; the second one is the access's answer.
  struct Coming {
    UInt1 is_half;
    UInt1 is_read;
    UInt1 second;
    AccessTag tag;
  };
  /// Clocks from a command to its data: two of the chip, and the registers of the pads.
  static constexpr int kTravel = 2 + 2;
  static constexpr int kFirstRefresh = 1, kSetMode = 9, kRunning = 10;  // steps
  using Since = UInt<index_bits(2 * Times::kInterval)>;

  void take_answer(const Inputs& in) {
    const Coming now = coming_[kTravel - 1];
    for (int i = kTravel - 1; i > 0; --i) coming_[i] = coming_[i - 1];
    coming_[0] = {};
    const bool answers = now.is_half && now.second && now.tag.to != kToNobody;
    const bool leaves = answers_.outputs().pop.valid && in.answer_ready;
    answers_.clock({.push = {.valid = as_bit(answers),
                             .data = {.data = concat(arrived_, low_), .tag = now.tag}},
                    .pop_ready = in.answer_ready});
    if (!now.second) low_ = arrived_;
    if (leaves) owed_ -= 1;
  }

  /// One half of an access.
  void transfer(const SdramAccess& access, const UInt1& second) {
    pins_.command = access.write ? UInt<3>(kSdramWrite) : UInt<3>(kSdramRead);
    pins_.address = concat(slice<kColumnBits - 1, 0>(access.address), second);
    pins_.releases = ~access.write;
    pins_.data = second ? slice<31, 16>(access.data) : slice<15, 0>(access.data);
    if (access.write) {
      pins_.mask = second ? ~slice<3, 2>(access.strobe) : ~slice<1, 0>(access.strobe);
      stays_ = Times::kWriteRecovery - 1;
    }
    coming_[0] = {.is_half = 1, .is_read = ~access.write, .second = second, .tag = access.tag};
  }

  void precharge() {
    pins_.command = kSdramPrecharge;
    pins_.address = 1 << 10;  // all banks
    open_ = 0;
    wait_ = Times::kPrecharge - 1;
  }
  void refresh() {
    pins_.command = kSdramRefresh;
    since_refresh_ = 0;
    wait_ = Times::kRefresh - 1;
  }
  /// The chip's initialisation, a command at a time.
  void start() {
    if (step_ < kFirstRefresh) {
      precharge();
    } else if (step_ < kSetMode) {
      refresh();
    } else {
      pins_.command = kSdramMode;
      pins_.bank = 0;
      pins_.address = 0x220;  // single writes, CAS latency 2, bursts of one
      wait_ = Times::kMode - 1;
    }
    step_ += 1;
  }

  SdramPins pins_;
  SdramPins pads_;  ///< pins_, a clock later
  UInt16 arrived_;  ///< data, a clock later
  Fifo<SdramAnswer, kAhead> answers_;
  Coming coming_[kTravel];
  UInt16 low_;
  UInt1 open_;
  UInt<kRowBits> row_;
  UInt<kBankBits> bank_;
  UInt1 second_;  ///< the first half of an access is under way
  UInt<4> step_;
  UInt<index_bits(Times::kPowerUp + 1)> wait_;
  UInt<4> stays_;  ///< clocks in which the row may not be closed
  Since since_refresh_;
  UInt<index_bits(kAhead + 1)> owed_;
};

}  // namespace systole::board
