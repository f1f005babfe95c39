#pragma once

#include "hls/kernels/load_lanes.h"

namespace systole::kernels {

/// Takes the read beats of load's segments and makes buffer words of them.
///
/// Timing   one beat a clock, without a clock between segments; a beat's width of zeros a clock;
///          one clock more where the end of a row does not fit into the chunk that its last beat
///          fills; one word a clock. A word is shown three clocks after its last beat, and so many
///          clocks later as it has words before it in that beat; tokens in the clock after
/// Errors   `read_error`: nothing is written from then on and no tokens are given, until `stop`
/// Limits   a block comes before its segments. With `stop`, and until the clock after it, beats are
///          taken and dropped
template <int kN, bool kData = true, int kBus = kN>
struct LoadWords {
  using Move = LoadMove<kN, kBus>;
  using Lane = typename Move::Lane;
  static constexpr int kLaneBits = index_bits(kBus);
  using Count = typename Move::Count;

  struct Inputs {
    UInt1 block_valid;                           ///< a block comes, before its segments
    LoadBlock block;                             ///< a load whose words are still to come
    UInt1 segment_valid;                         ///< a segment comes
    LoadSegment segment;                         ///< a part of a block's row
    UInt1 stop;                                  ///< drop everything, take the beats that are owed
    UInt1 read_valid;                            ///< a beat on R
    Carried<Vec<UInt8, kBus>, kData> read_data;  ///< the bytes of the beat
    UInt1 read_error;                            ///< the beat failed
  };
  struct Outputs {
    UInt1 block_ready;                                                 ///< the block is taken
    UInt1 segment_ready;                                               ///< the segment is taken
    UInt1 read_ready;                                                  ///< the beat is taken
    UInt1 rows_valid, weights_valid, accumulators_valid, masks_valid;  ///< a word for that buffer
    BufferRow row;                             ///< where the word goes in its buffer
    Carried<Vec<UInt16, kN>, kData> operands;  ///< the word for rows or weights
    Carried<Vec<UInt32, kN>, kData> sums;      ///< the row for the accumulators
    Carried<UInt<kN>, kData> mask;             ///< the row for the masks
    EngineBits given;     ///< tokens given at this edge, a bit for each engine that gets one
    EngineFault fault;    ///< the fault that stops the device
    UInt1 busy;           ///< a block is under way
    UInt1 idle;           ///< no block or segment is held
    UInt1 wait_for_data;  ///< for the counter: waits for read beats
  };

  Outputs outputs() const {
    const auto words = lanes_.outputs();
    const UInt1 busy =
        block_valid_ | blocks_.outputs().pop.valid | turning_.valid | merging_.valid | shown_.valid;
    return {.block_ready = blocks_.outputs().push_ready,
            .segment_ready = segments_.outputs().push_ready,
            .read_ready = as_bit(dropping() || (phase_ == Phase::kBeats && !waits_for_words())),
            .rows_valid = shows(kLoadBufferRows),
            .weights_valid = shows(kLoadBufferWeights),
            .accumulators_valid = shows(kLoadBufferAccumulators),
            .masks_valid = shows(kLoadBufferMasks),
            .row = shown_.row,
            .operands = words.operands,
            .sums = words.sums,
            .mask = words.mask,
            .given = given_,
            .fault = {.raised = failed_now_,
                      .code = UInt<4>(kFaultReadError),
                      .command = failed_command_,
                      .address = failed_address_},
            .busy = busy,
            .idle = ~busy & ~next_valid_ & ~segments_.outputs().pop.valid & ~failed_now_ &
                    as_bit(phase_ == Phase::kNone && given_ == 0),
            .wait_for_data = waited_};
  }

  void clock(const Inputs& in) {
    const Beat<Waiting> front = segments_.outputs().pop;
    const Beat<LoadBlock> next_block = blocks_.outputs().pop;
    const bool zeros = phase_ == Phase::kZeros;
    const bool reads =
        phase_ == Phase::kBeats && in.read_valid && !dropping() && !waits_for_words();
    const bool fails = reads && in.read_error;
    const bool moves = (reads && !fails) || (zeros && !dropping() && !waits_for_words());

    // Where the bytes that come now leave the chunk.
    const auto filled = truncate<Count>(fill_ + count_);  // below twice the chunk
    const bool wraps = filled >= Count(kBus);
    const bool over = filled > Count(kBus);
    const bool ends_row = all_ && last_of_row_;
    const bool final = ends_row && !over;
    const bool emits = wraps || final;
    const bool ends_word = emits && (final || chunk_ == last_chunk());
    const bool ends_block = final && last_of_block_;

    // A full chunk may end several words, which leave one by one.
    Carried<UInt<2>, Move::kHasMore> more;
    Carried<BufferRow, Move::kHasMore> stride;
    if constexpr (Move::kHasMore) {
      more = further_words(final ? filled : Count(kBus));
      stride = block_.tile_stride;
      words_left_ = moves && emits     ? more
                    : words_left_ != 0 ? truncate<UInt<2>>(words_left_ - UInt1(1))
                                       : UInt<2>(0);
    }

    show_next();
    merging_ = turning_;
    turning_ = {.valid = as_bit(moves && ends_word),
                .ends_block = as_bit(moves && ends_block),
                .buffer = block_.buffer,
                .row = word_row_,
                .signal = block_.signal,
                .more = more,
                .stride = stride};
    lanes_.clock({.valid = as_bit(moves),
                  .data = in.read_data,
                  .move = {.zero = as_bit(zeros),
                           .rotate = truncate<Lane>(fill_ - offset_),
                           .from = fill_,
                           .wraps = as_bit(wraps),
                           .emits = as_bit(emits),
                           .last = as_bit(final),
                           .end = final ? filled : Count(kBus),
                           .chunk = chunk_,
                           .buffer = block_.buffer,
                           .type = block_.type,
                           .more = more}});
    if (moves) advance(filled, final, emits, ends_word);

    waited_ = as_bit(phase_ == Phase::kBeats && !in.read_valid && !dropping());
    failed_now_ = as_bit(fails);
    if (fails) {
      failed_command_ = block_.command;
      failed_address_ = segment_address_;
    }

    // What comes next: the rest of the run, what did not fit into the chunk, or a new
    // run, of the next segment's zeros or bytes.
    const bool takes_run = phase_ == Phase::kNone || (moves && all_ && (final || !last_of_row_));
    const bool takes_next = !next_valid_ || (takes_run && !(next_.has_zeros && next_.has_bytes));
    const bool takes_block = !block_valid_ || (moves && ends_block);
    if (takes_run) {
      take_run();
    } else if (moves) {
      go_on();
    }
    if (takes_next) {
      next_valid_ = front.valid;
      next_ = front.data;
    } else if (takes_run) {
      next_.has_zeros = UInt1(0);
    }
    if (takes_block) {
      block_valid_ = next_block.valid;
      block_ = next_block.data;
      first_row_ = next_block.data.row;
      word_row_ = next_block.data.row;
    }

    failed_ = as_bit((failed_ || fails) && !in.stop);
    stopping_ = in.stop;
    if (in.stop) stop();
    segments_.clock({.push = {.valid = in.segment_valid,
                              .data = {.segment = in.segment,
                                       .has_zeros = as_bit(in.segment.zeros != 0),
                                       .has_bytes = as_bit(in.segment.bytes != 0)}},
                     .pop_ready = as_bit(takes_next || in.stop)});
    blocks_.clock({.push = {.valid = in.block_valid, .data = in.block},
                   .pop_ready = as_bit(takes_block || in.stop)});
  }

  void reset() {
    blocks_.reset();
    segments_.reset();
    lanes_.reset();
    stop();
    stopping_ = UInt1(0);
    failed_ = UInt1(0);
    failed_now_ = UInt1(0);
    waited_ = UInt1(0);
  }

 private:
  enum class Phase { kNone, kZeros, kBeats };

  struct Waiting {
    LoadSegment segment;
    UInt1 has_zeros;  ///< that are still to come
    UInt1 has_bytes;
  };

  /// What is left of a run, whether all of it moves in one clock, and what moves.
  struct Left {
    LoadBytes left;
    UInt1 all;
    Count count;
  };

  /// A word on its way through the lanes.
  struct Word {
    UInt1 valid;
    UInt1 ends_block;
    UInt<2> buffer;
    BufferRow row;
    EngineBits signal;
    // Where a chunk has several words: how many follow this one, and how far apart their rows are.
    Carried<UInt<2>, Move::kHasMore> more;
    Carried<BufferRow, Move::kHasMore> stride;
  };

  Fifo<LoadBlock, kLoadBlocks> blocks_;
  Fifo<Waiting, kLoadSegments> segments_;
  LoadLanes<kN, kData, kBus> lanes_;

  UInt1 block_valid_;
  LoadBlock block_;
  BufferRow first_row_;  ///< of the memory row's first word
  BufferRow word_row_;

  UInt1 next_valid_;
  Waiting next_;

  // The run under way: zeros, or bytes of beats.
  Phase phase_;
  LoadBytes left_;
  UInt1 all_;    ///< of them move in one clock
  Count count_;  ///< that move in one clock
  Lane offset_;  ///< of the first wanted byte in the next beat
  UInt1 last_of_row_;
  UInt1 last_of_block_;
  Address segment_address_;

  Lane fill_;      ///< bytes that the chunk has
  UInt<2> chunk_;  ///< of the word
  Word turning_;   ///< in the lanes
  Word merging_;
  Word shown_;
  UInt<2> words_left_;  ///< of the last full chunk, in the clocks that come
  EngineBits given_;

  UInt1 stopping_;
  UInt1 failed_;
  UInt1 failed_now_;
  CommandIndex failed_command_;
  Address failed_address_;
  UInt1 waited_;

  bool dropping() const { return stopping_ || failed_; }
  UInt1 shows(int buffer) const {
    return as_bit(shown_.valid && shown_.buffer == UInt<2>::from(buffer));
  }
  UInt<2> last_chunk() const {
    constexpr UInt<2> kOfBf16(kBus == kN ? 1 : 0), kOfSums(4 * kN / kBus - 1);
    return block_.type == kLoadTypeInt8 ? UInt<2>(0)
                                        : (block_.type == kLoadTypeBf16 ? kOfBf16 : kOfSums);
  }

  /// Of a chunk with so many bytes, after its first.
  UInt<2> further_words(const Count& bytes) const {
    const Lane last = truncate<Lane>(bytes - UInt1(1));
    return truncate<UInt<2>>((last >> UInt<3>(index_bits(kN))) >> block_.type);
  }
  /// Whether a chunk is full and words of the one before are still to come.
  bool waits_for_words() const {
    if constexpr (Move::kHasMore) {
      const auto filled = truncate<Count>(fill_ + count_);
      const bool emits = filled >= Count(kBus) || (all_ && last_of_row_);
      return emits && words_left_ != 0;
    } else {
      return false;
    }
  }

  /// The next word of the chunk that is shown, or that of the next chunk.
  void show_next() {
    if constexpr (Move::kHasMore) {
      if (shown_.valid && shown_.more != 0) {
        given_ = EngineBits(0);
        shown_.row = truncate<BufferRow>(shown_.row + shown_.stride);
        shown_.more = truncate<UInt<2>>(shown_.more - UInt1(1));
        return;
      }
    }
    given_ = shown_.ends_block ? shown_.signal : EngineBits(0);
    shown_ = merging_;
  }

  void advance(const Count& filled, bool final, bool emits, bool ends_word) {
    const auto next_first = truncate<BufferRow>(first_row_ + UInt1(1));
    fill_ = final ? Lane(0) : truncate<Lane>(filled);
    if (emits) chunk_ = ends_word ? UInt<2>(0) : truncate<UInt<2>>(chunk_ + UInt1(1));
    if (ends_word) {
      word_row_ = final ? next_first : truncate<BufferRow>(word_row_ + chunk_stride());
    }
    if (final) first_row_ = next_first;
  }

  /// From a full chunk's first word to the next one's.
  BufferRow chunk_stride() const {
    if constexpr (kBus == kN) {
      return block_.tile_stride;
    } else if constexpr (kBus == 2 * kN) {
      return block_.type == kLoadTypeInt8 ? block_.tile_stride << UInt1(1) : block_.tile_stride;
    } else {
      const UInt<2> halvings = truncate<UInt<2>>(UInt<2>(2) - block_.type);
      return block_.type == kLoadTypeWord32 ? block_.tile_stride : block_.tile_stride << halvings;
    }
  }

  void take_run() {
    const bool zeros = bool(next_.has_zeros);
    const Lane offset = slice<kLaneBits - 1, 0>(next_.segment.address);
    phase_ = !next_valid_ ? Phase::kNone : (zeros ? Phase::kZeros : Phase::kBeats);
    offset_ = zeros ? Lane(0) : offset;
    // Both compared before it is known which one comes.
    const Left of_zeros = left_of(next_.segment.zeros, Count(kBus));
    const Left of_bytes = left_of(next_.segment.bytes, truncate<Count>(Count(kBus) - offset));
    set_left(zeros ? of_zeros : of_bytes);
    last_of_row_ = next_.segment.last_of_row & as_bit(!zeros || !next_.has_bytes);
    last_of_block_ = next_.segment.last_of_block;
    segment_address_ = next_.segment.address;
  }

  /// More of the run; at its end, zeros for the chunk that its last bytes are in.
  void go_on() {
    if (all_) phase_ = Phase::kZeros;
    offset_ = Lane(0);
    set_left(left_of(truncate<LoadBytes>(left_ - count_), Count(kBus)));
  }

  static Left left_of(const LoadBytes& left, const Count& room) {
    return {.left = left,
            .all = as_bit(left <= room),
            .count = left <= room ? truncate<Count>(left) : room};
  }
  void set_left(const Left& run) {
    left_ = run.left;
    all_ = run.all;
    count_ = run.count;
  }

  /// Nothing is under way.
  void stop() {
    block_valid_ = UInt1(0);
    next_valid_ = UInt1(0);
    phase_ = Phase::kNone;
    fill_ = Lane(0);
    chunk_ = UInt<2>(0);
    turning_.valid = UInt1(0);
    turning_.ends_block = UInt1(0);
    merging_.valid = UInt1(0);
    merging_.ends_block = UInt1(0);
    shown_.valid = UInt1(0);
    shown_.ends_block = UInt1(0);
    if constexpr (Move::kHasMore) words_left_ = UInt<2>(0);
    given_ = EngineBits(0);
  }
};

}  // namespace systole::kernels
