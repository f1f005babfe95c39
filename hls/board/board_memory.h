#pragma once

#include "hls/board/requests.h"
#include "hls/board/sdram.h"
#include "hls/kernels/engine.h"
#include "systole/hls/thread.h"

namespace systole::board {

inline constexpr int kBusBytes = 4;  ///< of the accelerator's bus: N
using WriteBeat = kernels::WriteBeat<kBusBytes>;

/// A word on the accelerator's bus: of its address, what lies above the bytes of a word.
using BusWord = UInt<kernels::Address::kWidth - 2>;

inline UInt1 is_outside(const BusWord& word) {
  return as_bit(slice<BusWord::kWidth - 1, kWordAddressBits>(word) != 0);
}

/// Puts the accelerator's bursts and the link's words in one order, a word at a time.
///
/// Timing   a word a clock of a read, every other clock of a write. The link goes first; it asks
///          for one word at a time. Bursts that read and bursts that write take turns
/// Errors   a word outside memory is answered with an error; one to write is not written
inline Thread order_accesses(StreamIn<kernels::ReadRequest>& reads,
                             StreamIn<kernels::Burst>& writes, StreamIn<WriteBeat>& beats,
                             StreamIn<WordAccess>& words, StreamOut<SdramAccess>& accesses) {
  UInt1 has_read = 0;
  co_await clock();
choose:
  for (;;) {
    co_await clock();
    if (words.valid()) {
      const WordAccess word = co_await words.pop();
      const UInt1 error = as_bit(slice<31, kWordAddressBits + 2>(word.address) != 0);
      co_await accesses.push({.address = slice<kWordAddressBits + 1, 2>(word.address),
                              .write = word.write,
                              .data = word.data,
                              .strobe = error ? UInt<4>(0) : UInt<4>(15),
                              .tag = {.to = kToLink, .id = 0, .last = 1, .error = error}});
    } else if (reads.valid() && !(has_read && writes.valid())) {
      has_read = 1;
      const kernels::ReadRequest burst = co_await reads.pop();
      BusWord word = slice<kernels::Address::kWidth - 1, 2>(burst.address);
      UInt8 left = burst.beats_less_one;
      UInt1 last = 0;
    read:
      do {
        last = as_bit(left == 0);
        co_await accesses.push(
            {.address = slice<kWordAddressBits - 1, 0>(word),
             .write = 0,
             .data = 0,
             .strobe = 0,
             .tag = {.to = kToReader, .id = burst.id, .last = last, .error = is_outside(word)}});
        word += 1;
        left -= 1;
      } while (!last);
    } else if (writes.valid()) {
      has_read = 0;
      const kernels::Burst burst = co_await writes.pop();
      BusWord word = slice<kernels::Address::kWidth - 1, 2>(burst.address);
      UInt1 error = 0;
      UInt1 last = 0;
    write:
      do {
        const WriteBeat beat = co_await beats.pop();
        const UInt1 outside = is_outside(word);
        error = error | outside;
        last = beat.last;
        co_await accesses.push(
            {.address = slice<kWordAddressBits - 1, 0>(word),
             .write = 1,
             .data = concat(concat(beat.data[3], beat.data[2]), concat(beat.data[1], beat.data[0])),
             .strobe = outside ? UInt<4>(0) : beat.strobe,
             .tag = {.to = last ? UInt<2>(kToWriter) : UInt<2>(kToNobody),
                     .id = 0,
                     .last = last,
                     .error = error}});
        word += 1;
      } while (!last);
    }
  }
}

/// The SDRAM as the accelerator and the link see it: AXI4's five channels, and words.
///
/// Timing   kReadLatency clocks from a request to its first word in an idle memory, with a row to
///          open; then a word in two clocks
/// Limits   an accelerator of N = 4
template <int kMhz>
class BoardMemory {
 public:
  static constexpr int kReadLatency = 12;

  struct Inputs {
    Beat<kernels::ReadRequest> read_request;
    UInt1 read_ready;
    Beat<kernels::Burst> write_request;
    Beat<WriteBeat> write;
    UInt1 response_ready;
    Beat<WordAccess> access;
    UInt1 answer_ready;
    UInt16 data;  ///< from the chip
  };
  struct Outputs {
    UInt1 read_request_ready;
    Beat<kernels::MemoryRead<kBusBytes>> read;
    UInt1 write_request_ready;
    UInt1 write_ready;
    Beat<UInt1> response;  ///< data: whether the write failed
    UInt1 access_ready;
    Beat<WordAnswer> answer;
    SdramPins pins;
  };

  Outputs outputs() const {
    const auto sdram = sdram_.outputs();
    const SdramAnswer answer = sdram.answer.data;
    const auto goes = [&](unsigned to) {
      return as_bit(sdram.answer.valid && answer.tag.to.raw() == to);
    };
    return {.read_request_ready = reads_.ready(),
            .read = {.valid = goes(kToReader),
                     .data = {.data = bytes_of(answer.data),
                              .error = answer.tag.error,
                              .last = answer.tag.last,
                              .id = answer.tag.id}},
            .write_request_ready = writes_.ready(),
            .write_ready = beats_.ready(),
            .response = {.valid = goes(kToWriter), .data = answer.tag.error},
            .access_ready = words_.ready(),
            .answer = {.valid = goes(kToLink),
                       .data = {.data = answer.data, .error = answer.tag.error}},
            .pins = sdram.pins};
  }

  void clock(const Inputs& in) {
    const auto sdram = sdram_.outputs();
    const UInt<2> to = sdram.answer.data.tag.to;
    sdram_.clock({.access = accesses_.front(),
                  .answer_ready = to == kToReader   ? in.read_ready
                                  : to == kToWriter ? in.response_ready
                                                    : in.answer_ready,
                  .data = in.data});
    accesses_.pop(sdram.access_ready);
    order_.connect(reads_, writes_, beats_, words_, accesses_);
    reads_.push(in.read_request);
    writes_.push(in.write_request);
    beats_.push(in.write);
    words_.push(in.access);
    reads_.update();
    writes_.update();
    beats_.update();
    words_.update();
    accesses_.update();
  }

  void reset() {
    sdram_.reset();
    order_.reset();
    reads_.reset();
    writes_.reset();
    beats_.reset();
    words_.reset();
    accesses_.reset();
  }

 private:
  static Vec<UInt8, kBusBytes> bytes_of(const UInt32& word) {
    Vec<UInt8, kBusBytes> bytes;
    bytes[0] = slice<7, 0>(word);
    bytes[1] = slice<15, 8>(word);
    bytes[2] = slice<23, 16>(word);
    bytes[3] = slice<31, 24>(word);
    return bytes;
  }

  SdramController<kMhz> sdram_;
  Process<&order_accesses> order_;
  Channel<kernels::ReadRequest, 2> reads_;
  Channel<kernels::Burst, 2> writes_;
  Channel<WriteBeat, 4> beats_;
  Channel<WordAccess, 1> words_;
  Channel<SdramAccess, 2> accesses_;
};

}  // namespace systole::board
