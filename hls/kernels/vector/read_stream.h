#pragma once

#include "hls/kernels/head_queue.h"
#include "hls/kernels/load_bursts.h"
#include "hls/kernels/load_words.h"
#include "hls/kernels/vector/stream.h"

namespace systole::kernels {

/// Beats that a stream may have asked for and not yet turned into words, and words that may wait: a
/// group of the unit and more, so that it takes one a clock where the bus gives one in four.
inline constexpr int kStreamBeats = 64;
inline constexpr int kStreamWords = 16;  ///< twice as many on a wide bus

/// Reads tensors as words of N elements of 32 bits: the load engine's bursts and words, with a
/// queue at each end.
///
///     stream -> rows --> LoadBursts -> AR
///                 |                     R -> beats -> LoadWords -> widen -> words -> broadcast
///                 `------ segments -----------------------^
///
/// A burst is asked for only when the queue of beats has room for all of it. So streams that share
/// a bus never block each other's beats, whoever waits for their words.
///
/// Shapes   stream.h
/// Timing   the first burst is offered 5 clocks after its stream was taken; one burst, one beat and
///          one word a clock; a word is offered six clocks after its last beat came. Streams
///          follow each other without a gap on the bus
/// Numbers  bf16 to fp32 and int8 to int32 are exact
/// Limits   format is not kStreamHalf. Beats come in the order of their bursts and are always
///          taken. With `stop`, `word_ready` is set, and the words are dropped
/// Errors   read_window, read_error, raised for one clock; nothing goes on until `stop`, which
///          stays until `idle`
template <int kN, bool kData = true, int kBus = kN>
struct VectorReadStream {
  using Word = Carried<Vec<UInt32, kN>, kData>;

  struct Inputs {
    Beat<VectorStream> stream;         ///< a tensor to read
    Windows windows;                   ///< memory that the host has opened
    UInt1 stop;                        ///< drop everything
    UInt1 burst_ready;                 ///< the burst offered is taken
    Beat<ReadBeat<kBus, kData>> read;  ///< beats on R, in the order of the bursts
    UInt1 word_ready;
  };
  struct Outputs {
    UInt1 stream_ready;
    Beat<Burst> burst;     ///< on AR
    Beat<Word> word;       ///< N elements of 32 bits
    EngineFault fault;     ///< the fault that stops the device
    UInt1 idle;            ///< in the clock before, nothing was under way, and no beat owed
    CommandIndex command;  ///< of the last stream
  };

  Outputs outputs() const {
    const auto bursts = bursts_.outputs();
    const auto words = words_.outputs();
    const auto waiting = ready_.outputs().pop;
    return {.stream_ready = stream_ready(),
            .burst = {.valid = bursts.burst.valid & has_room_, .data = bursts.burst.data},
            .word = {.valid = waiting.valid, .data = broadcast(waiting.data)},
            .fault = words.fault.raised ? words.fault : bursts.fault,
            .idle = idle_,
            .command = command_};
  }

  void clock(const Inputs& in) {
    const auto bursts = bursts_.outputs();
    const auto words = words_.outputs();
    const auto beat = next_.outputs().pop;
    const UInt1 starts = in.stream.valid & stream_ready() & ~in.stop;
    const UInt1 leaves = walking_ & words.segment_ready & bursts.stretch_ready & ~in.stop;
    const UInt1 is_last = as_bit(rows_left_ == 1);
    const UInt1 asks = bursts.burst.valid & has_room_ & in.burst_ready;
    const UInt1 offers = beat.valid & flows_;
    const UInt1 takes = beat.valid & (flows_ | in.stop) & words.read_ready;

    idle_ = ~walking_ & bursts.idle & words.idle & ~beats_.outputs().pop.valid &
            ~next_.outputs().pop.valid & ~ready_.outputs().pop.valid & ~shapes_.front().valid;
    hand_out(in, starts);
    words_.clock({.block_valid = starts,
                  .block = {.buffer = buffer_of(in.stream.data.format),
                            .type = in.stream.data.format,
                            .row = BufferRow(0),
                            .tile_stride = BufferRow(0),
                            .signal = EngineBits(0),
                            .command = in.stream.data.command},
                  .segment_valid = leaves,
                  .segment = {.zeros = LoadBytes(0),
                              .bytes = row_bytes_,
                              .address = row_address_,
                              .last_of_row = UInt1(1),
                              .last_of_block = is_last},
                  .stop = in.stop,
                  .read_valid = offers,
                  .read_data = beat.data.data,
                  .read_error = beat.data.error});
    bursts_.clock({.stretch_valid = leaves,
                   .stretch = {.bytes = row_bytes_, .address = row_address_, .command = command_},
                   .stop = in.stop,
                   .windows = in.windows,
                   .burst_ready = in.burst_ready & has_room_,
                   .burst_done = in.read.valid & in.read.data.last});
    const UInt1 moves_up = next_.outputs().push_ready;
    next_.clock({.push = beats_.outputs().pop, .pop_ready = takes});
    beats_.clock({.push = in.read, .pop_ready = moves_up});
    const auto beats = truncate<UInt<5>>(bursts.burst.data.beats_less_one + UInt1(1));
    // Without the beats that leave in this clock, so that neither waits for the other.
    constexpr int kBurst = kLoadBurstBeats<kBus>;
    has_room_ = as_bit(room_ >= (asks ? UInt<7>(2 * kBurst) : UInt<7>(kBurst)));
    room_ = truncate<UInt<7>>(room_ + takes - (asks ? beats : UInt<5>(0)));
    if (starts) {
      start(in.stream.data);
    } else if (leaves) {
      row_address_ = truncate<Address>(row_address_ + row_stride_);
      rows_left_ = truncate<UInt16>(rows_left_ - UInt1(1));
    }
    walking_ = (starts | (walking_ & ~(leaves & is_last))) & ~in.stop;
  }

  void reset() {
    bursts_.reset();
    words_.reset();
    beats_.reset();
    next_.reset();
    ready_.reset();
    shapes_.reset();
    walking_ = UInt1(0);
    idle_ = UInt1(1);
    room_ = UInt<7>(kStreamBeats);
    has_room_ = UInt1(1);
    flows_ = UInt1(1);
    waiting_ = Waiting(0);
    column_ = UInt16(0);
    row_ = UInt16(0);
  }

 private:
  static constexpr int kWordsOfBeat = kBus / kN;  ///< at most, as int8
  static constexpr int kWaiting = kBus == kN ? kStreamWords : 2 * kStreamWords;
  using Waiting = UInt<index_bits(kWaiting + 1)>;

  /// What the words of a stream need on their way out.
  struct Shape {
    UInt16 last_column;  ///< in words
    UInt16 last_row;
    UInt1 broadcasts;
  };

  LoadBursts<kBus> bursts_;
  LoadWords<kN, kData, kBus> words_;
  Fifo<ReadBeat<kBus, kData>, kStreamBeats> beats_;
  RegisterSlice<ReadBeat<kBus, kData>> next_;  ///< beat
  Fifo<Word, kWaiting> ready_;
  HeadQueue<Shape, 4> shapes_;

  UInt1 idle_;

  // The rows of the stream under way.
  UInt1 walking_;
  Address row_address_;
  UInt32 row_stride_;
  UInt16 rows_left_;
  LoadBytes row_bytes_;
  CommandIndex command_;

  UInt<7> room_;     ///< for beats that are not asked for yet
  UInt1 has_room_;   ///< for a whole burst
  Waiting waiting_;  ///< words
  UInt1 flows_;      ///< there is room for the words of another beat
  UInt16 column_;    ///< of the word that is offered
  UInt16 row_;

  UInt1 stream_ready() const { return ~walking_ & words_.outputs().block_ready & shapes_.ready(); }

  /// Each format has a buffer of LoadWords for itself, which tells its words apart.
  static UInt<2> buffer_of(const UInt<2>& format) {
    const UInt<2> narrow =
        format == kStreamBf16 ? UInt<2>(kLoadBufferRows) : UInt<2>(kLoadBufferWeights);
    return format == kStreamWord ? UInt<2>(kLoadBufferAccumulators) : narrow;
  }

  Word broadcast(const Word& word) const {
    Word result;
    if constexpr (kData) {
      const UInt1 broadcasts = shapes_.front().data.broadcasts;
#pragma unroll
      for (int n = 0; n < kN; ++n) result[n] = broadcasts ? word[0] : word[n];
    }
    return result;
  }

  static Word widen(const typename LoadWords<kN, kData, kBus>::Outputs& words) {
    Word word;
    if constexpr (kData) {
#pragma unroll
      for (int n = 0; n < kN; ++n) {
        const UInt16 operand = words.operands[n];
        const UInt32 number =
            words.rows_valid ? concat(operand, UInt16(0)) : as_unsigned(Int32(as_signed(operand)));
        word[n] = words.accumulators_valid ? words.sums[n] : number;
      }
    }
    return word;
  }

  /// Words from LoadWords to their queue, and from there to whoever takes them.
  void hand_out(const Inputs& in, const UInt1& starts) {
    const auto words = words_.outputs();
    const auto waiting = ready_.outputs().pop;
    const Shape shape = shapes_.front().data;
    const UInt1 comes = words.rows_valid | words.weights_valid | words.accumulators_valid;
    const UInt1 leaves = waiting.valid & in.word_ready & ~in.stop;
    const UInt1 ends_row = as_bit(column_ == shape.last_column);
    const UInt1 ends = ends_row & as_bit(row_ == shape.last_row);
    const UInt1 pops = leaves & (ends_row | ~shape.broadcasts);

    if (leaves) {
      column_ = ends_row ? UInt16(0) : truncate<UInt16>(column_ + UInt1(1));
      if (ends_row) row_ = ends ? UInt16(0) : truncate<UInt16>(row_ + UInt1(1));
    }
    // Words are shown three clocks after the beat that ends them, and this tells of the clock
    // before: three more may follow, those of two beats, and as many as one's where a row's end
    // does not fit into what its last beat fills.
    flows_ = as_bit(waiting_ <= Waiting(kWaiting - 3 - 3 * kWordsOfBeat));
    waiting_ = truncate<Waiting>(waiting_ + comes - (pops | (in.stop & waiting.valid)));
    if (in.stop) {
      column_ = UInt16(0);
      row_ = UInt16(0);
    }
    ready_.clock({.push = {.valid = comes, .data = widen(words)}, .pop_ready = pops | in.stop});
    const UInt16 last_element = truncate<UInt16>(in.stream.data.cols - UInt1(1));
    shapes_.move({.valid = starts,
                  .data = {.last_column = UInt16(slice<15, index_bits(kN)>(last_element)),
                           .last_row = truncate<UInt16>(in.stream.data.rows - UInt1(1)),
                           .broadcasts = in.stream.data.broadcasts}},
                 (leaves & ends) | in.stop);
  }

  void start(const VectorStream& stream) {
    row_address_ = stream.address;
    row_stride_ = stream.row_stride;
    rows_left_ = stream.rows;
    row_bytes_ = LoadBytes(stream.broadcasts ? UInt16(1) : stream.cols) << stream.format;
    command_ = stream.command;
  }
};

}  // namespace systole::kernels
