#pragma once

#include "hls/kernels/convert.h"
#include "hls/kernels/load_parts.h"
#include "hls/kernels/store_beats.h"
#include "hls/kernels/vector/stream.h"

namespace systole::kernels {

/// Writes words of N elements of 32 bits to tensors, by the store engine's bursts and beats. Each
/// word is a row to those: a burst of its own, or two where it crosses 4 KiB.
///
///     word -> pack -> chunks -> StoreBeats -> W
///       `---- row ----> StoreBursts -> AW     ^
///                        ^  `------- job -----'
///                        B
///
/// Shapes   stream.h
/// Timing   a word is taken every 1, 2 or 4 clocks: as many as it has chunks as wide as the bus.
///          Its burst is offered 3 clocks later. A clock passes between two streams
/// Numbers  docs/numerics.md section 4: bf16 to nearest even, int8 saturates
/// Limits   `broadcasts` is 0. Up to kStoreBurstsOutstanding bursts wait for their answers
/// Errors   write_window, write_error: store_bursts.h. Nothing goes on after them until `stop`,
///          which stays until `idle`; bursts that were offered get their beats and answers
template <int kN, bool kData = true, int kBus = kN>
struct VectorWriteStream {
  using Word = Carried<Vec<UInt32, kN>, kData>;

  struct Inputs {
    Beat<VectorStream> stream;  ///< a tensor to write
    Beat<Word> word;            ///< N elements of 32 bits
    Windows windows;            ///< memory that the host has opened
    UInt1 stop;                 ///< drop what is not offered on the bus
    UInt1 burst_ready;          ///< the burst offered is taken
    UInt1 write_ready;
    UInt1 response_valid;  ///< an answer on B
    UInt1 response_error;  ///< the answer reports a failed write
  };
  struct Outputs {
    UInt1 stream_ready;
    UInt1 word_ready;
    Beat<Burst> burst;                   ///< on AW
    Beat<WriteBeat<kBus, kData>> write;  ///< on W
    UInt1 written;                       ///< for one clock: memory has acknowledged all of a stream
    EngineFault fault;                   ///< the fault that stops the device
    UInt1 idle;                          ///< no word is held and no answer is owed
    CommandIndex command;                ///< of the last stream
  };

  Outputs outputs() const {
    const auto bursts = bursts_.outputs();
    return {.stream_ready = ~active_,
            .word_ready = word_ready(),
            .burst = bursts.burst,
            .write = beats_.outputs().write,
            .written = slice<0, 0>(bursts.gives),
            .fault = bursts.fault,
            .idle = ~active_ & ~packed_valid_ & bursts.idle & as_bit(room_ == kStoreChunks),
            .command = command_};
  }

  void clock(const Inputs& in) {
    const auto bursts = bursts_.outputs();
    const auto beats = beats_.outputs();
    const UInt1 stop = in.stop | bursts.failed;
    const UInt1 takes = in.word.valid & word_ready() & ~in.stop;
    const UInt1 starts = in.stream.valid & ~active_ & ~stop;

    // The word's last byte, and whether it is the last of its row, or of all.
    const UInt1 ends_row = ends_row_;
    const UInt1 ends = ends_row & as_bit(rows_left_ == 1);
    const LastByte last_byte = last_byte_;

    bursts_.clock({.row = {.valid = takes,
                           .data = {.address = address_,
                                    .last_byte = last_byte,
                                    .command = command_,
                                    .gives = UInt<2>(ends)}},
                   .windows = in.windows,
                   .stop = in.stop,
                   .burst_ready = in.burst_ready,
                   .job_done = beats.job_done,
                   .response_valid = in.response_valid,
                   .response_error = in.response_error});
    typename StoreBeats<kBus, kData>::Chunk chunk;
    if constexpr (kData) {
#pragma unroll
      for (int w = 0; w < kWords; ++w) chunk[w] = packed_[w];
    }
    beats_.clock({.job = {.valid = bursts.burst.valid & in.burst_ready, .data = bursts.job},
                  .chunk = {.valid = packed_valid_, .data = chunk},
                  .drop = stop & ~bursts.owes,
                  .write_ready = in.write_ready});

    const auto last_chunk = truncate<UInt<2>>(last_byte >> UInt<4>(index_bits(kBus)));
    const UInt<3> chunks = takes ? last_chunk + UInt1(1) : UInt<3>(0);
    room_ = truncate<UInt<5>>(room_ + beats.chunk_taken - chunks);
    const UInt1 is_packed = packed_valid_ & as_bit(chunks_left_ != 0);
    if (takes) {
      if constexpr (kData) pack(in.word.data);
      chunks_left_ = last_chunk;
    } else if (packed_valid_) {
      if constexpr (kData) {
        for (int w = 0; w < kN - kWords; ++w) packed_[w] = packed_[w + kWords];
      }
      chunks_left_ = truncate<UInt<2>>(chunks_left_ - UInt1(1));
    }
    packed_valid_ = takes | is_packed;

    if (starts) {
      start(in.stream.data);
    } else if (takes) {
      const Address next_row = truncate<Address>(row_address_ + row_stride_);
      address_ = ends_row ? next_row : truncate<Address>(address_ + word_bytes(scale_));
      ends_row_ = ends_row ? has_one_word_ : as_bit(words_after_ == 1);
      words_after_ = ends_row ? last_word_ : truncate<UInt16>(words_after_ - UInt1(1));
      last_byte_ = ends_row_ ? tail_last_byte_ : full_last_byte(scale_);
      if (ends_row) {
        row_address_ = next_row;
        rows_left_ = truncate<UInt16>(rows_left_ - UInt1(1));
      }
    }
    active_ = (starts | (active_ & ~(takes & ends))) & ~stop;
  }

  void reset() {
    bursts_.reset();
    beats_.reset();
    active_ = UInt1(0);
    packed_valid_ = UInt1(0);
    room_ = UInt<5>(kStoreChunks);
  }

 private:
  static constexpr int kWords = kBus / 4;  ///< of 32 bits in a chunk
  using LastByte = UInt<StoreRow<kN>::kColumnBits + 2>;

  StoreBursts<kN, kBus> bursts_;
  StoreBeats<kBus, kData> beats_;

  // The stream under way, at its next word.
  UInt1 active_;
  UInt<2> format_;
  UInt<2> scale_;  ///< log2 of an element's bytes
  CommandIndex command_;
  UInt32 row_stride_;
  UInt16 last_word_;  ///< of a row, which has as many and one
  UInt1 has_one_word_;
  LastByte tail_last_byte_;  ///< of a row's last word
  UInt16 rows_left_;
  Address row_address_;
  Address address_;
  UInt16 words_after_;  ///< this one in the row
  UInt1 ends_row_;      ///< there are none
  LastByte last_byte_;  ///< of this word

  // A word as chunks; the next one is lowest.
  UInt1 packed_valid_;
  UInt<2> chunks_left_;  ///< after the next one
  UInt32 packed_[kN];
  UInt<5> room_;  ///< for chunks on their way to the bus

  static LoadBytes word_bytes(const UInt<2>& scale) { return LoadBytes(kN) << scale; }
  static LastByte full_last_byte(const UInt<2>& scale) {
    return truncate<LastByte>(word_bytes(scale) - UInt1(1));
  }
  UInt1 word_ready() const {
    return active_ & (~packed_valid_ | as_bit(chunks_left_ == 0)) & bursts_.outputs().row_ready &
           ~bursts_.outputs().failed & as_bit(room_ >= UInt<5>(4));
  }

  void start(const VectorStream& stream) {
    const UInt<2> scale = stream.format == kStreamHalf ? UInt<2>(1) : stream.format;
    const UInt16 last_element = truncate<UInt16>(stream.cols - UInt1(1));
    const UInt16 last_word = UInt16(slice<15, index_bits(kN)>(last_element));
    const auto in_tail = slice<index_bits(kN) - 1, 0>(last_element) + UInt1(1);
    format_ = stream.format;
    scale_ = scale;
    command_ = stream.command;
    row_stride_ = stream.row_stride;
    last_word_ = last_word;
    const auto tail_last_byte = truncate<LastByte>((LoadBytes(in_tail) << scale) - UInt1(1));
    tail_last_byte_ = tail_last_byte;
    rows_left_ = stream.rows;
    row_address_ = stream.address;
    address_ = stream.address;
    words_after_ = last_word;
    has_one_word_ = as_bit(last_word == 0);
    ends_row_ = as_bit(last_word == 0);
    last_byte_ = last_word == 0 ? tail_last_byte : full_last_byte(scale);
  }

  static UInt8 to_int8(const UInt32& value) {
    return as_unsigned(saturate<Int8>(as_signed(value)));
  }
  UInt16 to_half(const UInt32& value) const {
    const UInt16 rounded = fp32_to_bf16(Fp32::from_bits(value)).bits();
    return format_ == kStreamBf16 ? rounded : slice<15, 0>(value);
  }

  void pack(const Word& word) {
#pragma unroll
    for (int w = 0; w < kN; ++w) {
      packed_[w] = word[w];
      if (w < kN / 2 && scale_ == 1) {
        packed_[w] = concat(to_half(word[(2 * w + 1) % kN]), to_half(word[2 * w % kN]));
      }
      if (w < kN / 4 && scale_ == 0) {
        packed_[w] =
            concat(concat(to_int8(word[(4 * w + 3) % kN]), to_int8(word[(4 * w + 2) % kN])),
                   concat(to_int8(word[(4 * w + 1) % kN]), to_int8(word[4 * w % kN])));
      }
    }
  }
};

}  // namespace systole::kernels
