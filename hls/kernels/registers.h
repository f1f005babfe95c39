#pragma once

#include "hls/kernels/engine.h"

namespace systole::kernels {

/// The registers that the host sees on AXI4-Lite, the interrupt, and the counters.
///
/// Timing   an access takes two clocks, and one more for its answer. Reading a counter's low word
///          keeps its high word for the read that follows. A read shows what stood when its address
///          was first seen, a clock before that is taken.
/// Limits   what is offered holds still until it is taken, as AXI4-Lite has it
/// Errors   SLVERR for what is no register, for a write to what is only read, of part of a word, of
///          a 1 to a bit that the register does not have, or of a ring too long for its index, and
///          for the doorbell during a reset; nothing changes then
/// Source   docs/device.md has the map, docs/accelerator.md what the registers do
template <int kN, int kBankRows, int kBus = kN>
class Registers {
 public:
  struct Inputs {
    Beat<UInt<12>> write_address;  ///< AW: the register to write
    Beat<LiteWrite> write_data;    ///< W: the word to write and its strobes
    UInt1 write_response_ready;
    Beat<UInt<12>> read_address;  ///< AR: the register to read
    UInt1 read_data_ready;

    UInt1 clear;         ///< a reset has finished: tail, counters and interrupts are 0 again
    UInt<4> status;      ///< of the supervisor: resetting, waits for the host, fault, busy
    UInt<4> fault_code;  ///< of the first fault
    CommandIndex fault_command;  ///< index of the command that met it
    Address fault_address;       ///< where it was met
    CommandIndex head;           ///< commands handed on
    UInt32 marker;               ///< of the last fence
    UInt<2> links;               ///< bits as links
    UInt<3> interrupts;          ///< what happened before this edge, bits as interrupt_status
    UInt<kCounters> counts;      ///< which counters go on at this edge
  };
  struct Outputs {
    UInt1 write_address_ready;
    UInt1 write_data_ready;
    Beat<UInt<2>> write_response;  ///< B: OKAY or SLVERR
    UInt1 read_address_ready;
    Beat<LiteRead> read_data;  ///< R: the word and OKAY or SLVERR
    UInt1 interrupt;           ///< the interrupt pin

    Ring ring;              ///< where the commands lie
    Windows read_windows;   ///< memory that the host has opened for reading
    Windows write_windows;  ///< memory that the host has opened for writing
    UInt32 link_patience;   ///< clocks that a stream waits for a neighbour
    UInt1 reset;            ///< for one clock: the host asks for a reset
    UInt1 resume;           ///< for one clock
  };

  Outputs outputs() const {
    return {.write_address_ready = handshake_.write_ready,
            .write_data_ready = handshake_.write_ready,
            .write_response = {.valid = handshake_.write_done, .data = write_response_},
            .read_address_ready = handshake_.read_ready,
            .read_data = {.valid = handshake_.read_done, .data = read_data_},
            .interrupt = as_bit((interrupt_status_ & interrupt_enable_) != 0),
            .ring = {.base = truncate<Address>(concat(ring_base_high_, ring_base_low_)),
                     .log2 = ring_log2_,
                     .tail = ring_tail_},
            .read_windows = windows(0),
            .write_windows = windows(1),
            .link_patience = link_patience_,
            .reset = reset_,
            .resume = resume_};
  }

  void clock(const Inputs& in) {
    reset_ = UInt1(0);
    resume_ = UInt1(0);
    read(in);
    interrupt_status_ = interrupt_status_ | in.interrupts;
    write(in);
    count(in);
    if (in.clear) {
      ring_tail_ = CommandIndex(0);
      interrupt_status_ = UInt<3>(0);
    }
    handshake_.clock(in);
  }

  void reset() {
    handshake_.reset();
    reset_ = UInt1(0);
    resume_ = UInt1(0);
    interrupt_status_ = UInt<3>(0);
    interrupt_enable_ = UInt<3>(0);
    ring_base_low_ = UInt32(0);
    ring_base_high_ = UInt8(0);
    ring_log2_ = RingLog2(0);
    ring_tail_ = CommandIndex(0);
    window_access_ = UInt8(0);
    link_patience_ = UInt32(0);
    for (int i = 0; i < kWindowCount; ++i) {
      base_low_[i] = UInt32(0);
      base_high_[i] = UInt8(0);
      end_low_[i] = UInt32(0);
      end_high_[i] = UInt8(0);
    }
    visited_ = CounterIndex(0);
    is_fresh_ = UInt1(1);
    brought_ = Recent(0);
    in_turn_ = CounterIndex(0);
    for (int i = 0; i < kCounterRegisters; ++i) recent_[i] = Recent(0);
    cleared_ = UInt<kCounterRegisters>::from_raw(0xffff'ffff);
  }

  /// What counter i has counted.
  UInt<64> counter(int i) const {
    const UInt<64> before = (cleared_.raw() >> i & 1) != 0 ? UInt<64>(0) : count_[i];
    const UInt<64> all =
        visited_ == CounterIndex::from(static_cast<unsigned>(i)) ? visited() : before;
    return truncate<UInt<64>>(all + recent_[i]);
  }

 private:
  static constexpr int kCounterRegisters = 32;  // as many as the counters' index can count
  static_assert(kCounters <= kCounterRegisters);
  using CounterIndex = UInt<index_bits(kCounterRegisters)>;
  /// A counter is visited at least every 48 clocks: reads of the host take every third from the 32.
  using Recent = UInt<6>;

  /// The windows for reading (0) or for writing (1).
  Windows windows(int access) const {
    Windows all;
#pragma unroll
    for (int i = 0; i < kWindowCount; ++i) {
      all[i] = {.base = truncate<Address>(concat(base_high_[i], base_low_[i])),
                .end = truncate<Address>(concat(end_high_[i], end_low_[i])),
                .open = as_bit((window_access_.raw() >> (2 * i + access) & 1) != 0)};
    }
    return all;
  }

  void write(const Inputs& in) {
    const Register place = register_at(in.write_address.data);
    const UInt32 data = in.write_data.data.data;
    const bool is_doorbell = place == kRegisterRingTail;
    const bool fits = (data & ~writable_) == 0;
    const bool takes = may_write_ && fits && !(is_doorbell && is_resetting(in));
    const auto at = [&](Register one, int window = 0) {
      return handshake_.write_ready && takes && place == one + kWindowStep * window;
    };
    const UInt8 low_byte = slice<7, 0>(data);
    if (at(kRegisterControl)) reset_ = slice<0, 0>(data);
    if (at(kRegisterInterruptStatus)) interrupt_status_ = interrupt_status_ & ~slice<2, 0>(data);
    if (at(kRegisterInterruptEnable)) interrupt_enable_ = slice<2, 0>(data);
    if (at(kRegisterRingBaseLow)) ring_base_low_ = data;
    if (at(kRegisterRingBaseHigh)) ring_base_high_ = low_byte;
    if (at(kRegisterRingLog2)) ring_log2_ = slice<4, 0>(data);
    if (at(kRegisterRingTail)) ring_tail_ = slice<kCommandIndexBits - 1, 0>(data);
    if (at(kRegisterResume)) resume_ = UInt1(1);
    if (at(kRegisterWindowAccess)) window_access_ = low_byte;
    if (at(kRegisterLinkPatience)) link_patience_ = data;
#pragma unroll
    for (int i = 0; i < kWindowCount; ++i) {
      if (at(kRegisterWindowBaseLow, i)) base_low_[i] = data;
      if (at(kRegisterWindowBaseHigh, i)) base_high_[i] = low_byte;
      if (at(kRegisterWindowEndLow, i)) end_low_[i] = data;
      if (at(kRegisterWindowEndHigh, i)) end_high_[i] = low_byte;
    }
    if (handshake_.write_ready) write_response_ = takes ? LiteRead::kOkay : LiteRead::kSlaveError;
    writable_ = writable_bits(in.write_address.data);
    const bool is_too_long = place == kRegisterRingLog2 && data >= kCommandIndexBits;
    may_write_ = as_bit(writable_ != 0 && !is_too_long && in.write_data.data.strobe == 15);
  }

  /// In the clock before the one in which the address is taken, its word is found.
  void read(const Inputs& in) {
    const UInt<12> offset = in.read_address.data;
    if (handshake_.read_ready) {
      const UInt<64> counter = visited();
      const UInt32 half = is_high_ ? counter_high_ : slice<31, 0>(counter);
      if (is_counter_ && !is_high_) counter_high_ = slice<63, 32>(counter);
      read_data_ = {.data = is_counter_ ? half : word_,
                    .response = is_readable_ ? LiteRead::kOkay : LiteRead::kSlaveError};
    }
    const bool is_counter =
        slice<11, 8>(offset) == kRegisterCounters / 256 && UInt<6>(slice<7, 3>(offset)) < kCounters;
    word_ = word(offset, in);
    is_counter_ = as_bit(is_counter);
    is_high_ = slice<2, 2>(offset);
    is_readable_ = as_bit(slice<1, 0>(offset) == 0 && (is_counter || is_readable(offset)));
  }

  static bool is_window(const UInt<12>& offset) { return slice<11, 6>(offset) == 2; }
  static bool is_readable(const UInt<12>& offset) {
    const Register place = register_at(offset);
    return is_window(offset) ||
           (place <= kRegisterLinks && place != kRegisterControl && place != kRegisterResume);
  }

  static constexpr int kWindowStep = kRegisterWindowBaseLow1 - kRegisterWindowBaseLow;
  static Register register_at(const UInt<12>& offset) {
    return static_cast<Register>(offset.raw());
  }

  /// Until the end of a reset, which drops the tail.
  static bool is_resetting(const Inputs& in) {
    return bit<kStatusResetting>(in.status) || in.clear;
  }

  UInt32 word(const UInt<12>& offset, const Inputs& in) const {
    const Register place = register_at(offset);
    const auto at = [&](Register one, int window = 0) {
      return place == one + kWindowStep * window;
    };
    UInt32 word = UInt32(0);
    if (at(kRegisterIdentity)) word = UInt32(kIdentity);
    if (at(kRegisterVersion)) word = UInt32(kVersion);
    if (at(kRegisterArraySize)) word = UInt32(kN);
    if (at(kRegisterBusBytes)) word = UInt32(kBus);
    if (at(kRegisterBankRows)) word = UInt32(kBankRows);
    if (at(kRegisterRowBufferRows)) word = UInt32(kRowBufferRows);
    if (at(kRegisterWeightBufferRows)) word = UInt32(kWeightBufferRows);
    if (at(kRegisterMaskRows)) word = UInt32(kMaskRows);
    if (at(kRegisterStatus)) word = in.status;
    if (at(kRegisterFaultCode)) word = in.fault_code;
    if (at(kRegisterFaultCommand)) word = in.fault_command;
    if (at(kRegisterFaultAddressLow)) word = slice<31, 0>(UInt<kAddressBits>(in.fault_address));
    if (at(kRegisterFaultAddressHigh))
      word = slice<kAddressBits - 1, 32>(UInt<kAddressBits>(in.fault_address));
    if (at(kRegisterInterruptStatus)) word = interrupt_status_;
    if (at(kRegisterInterruptEnable)) word = interrupt_enable_;
    if (at(kRegisterRingBaseLow)) word = ring_base_low_;
    if (at(kRegisterRingBaseHigh)) word = ring_base_high_;
    if (at(kRegisterRingLog2)) word = ring_log2_;
    if (at(kRegisterRingTail)) word = ring_tail_;
    if (at(kRegisterRingHead)) word = in.head;
    if (at(kRegisterMarker)) word = in.marker;
    if (at(kRegisterWindowAccess)) word = window_access_;
    if (at(kRegisterLinkPatience)) word = link_patience_;
    if (at(kRegisterLinks)) word = in.links;
#pragma unroll
    for (int i = 0; i < kWindowCount; ++i) {
      if (at(kRegisterWindowBaseLow, i)) word = base_low_[i];
      if (at(kRegisterWindowBaseHigh, i)) word = base_high_[i];
      if (at(kRegisterWindowEndLow, i)) word = end_low_[i];
      if (at(kRegisterWindowEndHigh, i)) word = end_high_[i];
    }
    return word;
  }

  /// With what the visit brings.
  UInt<64> visited() const {
    const UInt<64> before = is_fresh_ ? UInt<64>(0) : count_[visited_.value()];
    return truncate<UInt<64>>(before + brought_);
  }

  /// Counters in a memory, one of which a clock takes what was counted since it was visited: the
  /// one that the host reads, or the next in turn.
  void count(const Inputs& in) {
    count_[visited_.value()] = visited();
    const bool asked = in.read_address.valid && !handshake_.read_ready && !handshake_.read_done;
    const CounterIndex now = asked ? slice<7, 3>(in.read_address.data) : in_turn_;
    if (!asked) in_turn_ = truncate<CounterIndex>(in_turn_ + UInt1(1));
    visited_ = now;
    is_fresh_ = as_bit(in.clear || (cleared_.raw() >> now.raw() & 1) != 0);
    brought_ = in.clear ? Recent(0) : recent_[now.value()];
    const auto kAll = UInt<kCounterRegisters>::from_raw(0xffff'ffff);
    const auto kept = cleared_ & ~UInt<kCounterRegisters>::from_raw(std::uint32_t{1} << now.raw());
    cleared_ = in.clear ? kAll : kept;
    for (int i = 0; i < kCounters; ++i) {
      const auto place = CounterIndex::from(static_cast<unsigned>(i));
      const UInt<kCounters> later = in.counts >> place;
      const UInt1 one = truncate<UInt1>(later);
      const Recent more = truncate<Recent>((now == place ? Recent(0) : recent_[i]) + one);
      recent_[i] = in.clear ? Recent(0) : more;
    }
  }

  LiteHandshake handshake_;
  UInt<2> write_response_;
  LiteRead read_data_;
  UInt1 reset_, resume_;
  UInt<3> interrupt_status_, interrupt_enable_;
  UInt32 ring_base_low_;
  UInt8 ring_base_high_;
  RingLog2 ring_log2_;
  CommandIndex ring_tail_;
  UInt8 window_access_;
  UInt32 link_patience_;
  UInt32 base_low_[kWindowCount], end_low_[kWindowCount];
  UInt8 base_high_[kWindowCount], end_high_[kWindowCount];

  // Of what is offered, from the clock before it is taken.
  UInt32 writable_;  ///< bits
  UInt1 may_write_;
  UInt32 word_;
  UInt1 is_counter_, is_high_, is_readable_;

  UInt<64> count_[kCounterRegisters];
  UInt<kCounterRegisters> cleared_;   ///< those whose count means 0
  Recent recent_[kCounterRegisters];  ///< counted since the last visit
  CounterIndex visited_, in_turn_;
  UInt1 is_fresh_;  ///< the visited one means 0
  Recent brought_;
  UInt32 counter_high_;
};

}  // namespace systole::kernels
