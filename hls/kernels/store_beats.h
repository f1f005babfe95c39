#pragma once

#include "hls/kernels/head_queue.h"
#include "hls/kernels/store_bursts.h"

namespace systole::kernels {

/// Chunks of rows to the beats of their bursts: moved to where the row lies in a beat.
///
/// Shapes   a chunk is kBus bytes in words of four, first byte lowest; a row's chunks follow each
///          other
/// Timing   a beat is offered 3 clocks after its chunk and its job entered, one a clock
/// Numbers  bytes without a strobe are 0
/// Limits   at most kStoreJobs jobs and kStoreChunks chunks are in their queues. `drop` empties
///          that of the chunks, when no job is owed.
template <int kBus, bool kData = true>
struct StoreBeats {
  static constexpr int kWords = kBus / 4;
  static constexpr int kOffsetBits = index_bits(kBus);
  using Chunk = Carried<Vec<UInt32, kWords>, kData>;
  using Job = StoreJob<kBus>;

  struct Inputs {
    Beat<Job> job;      ///< the beats of one burst
    Beat<Chunk> chunk;  ///< a part of a row as wide as the bus
    UInt1 drop;         ///< empty the queue of chunks
    UInt1 write_ready;
  };
  struct Outputs {
    Beat<WriteBeat<kBus, kData>> write;  ///< on W
    UInt1 chunk_taken;                   ///< a chunk left its queue at the last edge
    UInt1 job_done;                      ///< a job's last chunk has left
  };

  Outputs outputs() const {
    Outputs out;
    out.write.valid = beat_valid_;
    if constexpr (kData) show_beat(out.write.data);
    out.write.data.last = last_;
    out.chunk_taken = chunk_taken_;
    out.job_done = job_done_;
    return out;
  }

  void clock(const Inputs& in) {
    const Job job = jobs_.front().data;
    const UInt1 has_job = jobs_.front().valid;
    const auto chunks = chunks_.outputs();
    const UInt1 moves = ~beat_valid_ | in.write_ready;

    if (moves) {
      beat_valid_ = pair_valid_;
      if (pair_valid_) {
        last_ = pair_last_;
        if constexpr (kData) cut_beat();
      }
    }

    // The next beat: its chunk, and the one before it.
    const UInt1 is_last = as_bit(index_ == job.last_beat);
    const UInt1 needs_chunk = ~(is_last & job.ends & job.spills);
    const UInt1 enters = has_job & (chunks.pop.valid | ~needs_chunk) & (~pair_valid_ | moves);
    const UInt1 takes_chunk = (enters & needs_chunk) | in.drop;
    if (enters) {
      pair_last_ = is_last;
      if constexpr (kData) place(job, is_last);
      index_ = is_last ? UInt<3>(0) : truncate<UInt<3>>(index_ + UInt1(1));
    }
    if constexpr (kData) {
      if (enters & needs_chunk) take(chunks.pop.data);
    }
    pair_valid_ = enters | (pair_valid_ & ~moves);
    chunk_taken_ = takes_chunk & chunks.pop.valid;
    job_done_ = enters & is_last;
    jobs_.move(in.job, enters & is_last);
    chunks_.clock({.push = in.chunk, .pop_ready = takes_chunk});
  }

  void reset() {
    jobs_.reset();
    chunks_.reset();
    index_ = UInt<3>(0);
    pair_valid_ = UInt1(0);
    beat_valid_ = UInt1(0);
    chunk_taken_ = UInt1(0);
    job_done_ = UInt1(0);
  }

 private:
  HeadQueue<Job, kStoreJobs> jobs_;
  Fifo<Chunk, kStoreChunks> chunks_;
  UInt<3> index_;  ///< of the next beat in its burst
  // A chunk and the one before it, and where the beat lies in them.
  UInt1 pair_valid_;
  UInt<kOffsetBits> pair_offset_;
  UInt1 pair_is_whole_;  ///< the beat is the chunk
  UInt1 pair_last_;
  UInt<4> pair_strobe_[kWords];
  UInt32 pair_[2 * kWords];

  UInt1 beat_valid_;
  UInt32 beat_[kWords];
  UInt<4> strobe_[kWords];
  UInt1 last_;
  UInt1 chunk_taken_;
  UInt1 job_done_;

  /// Where the next beat lies in its chunks, of which the one before moves down.
  void place(const Job& job, const UInt1& is_last) {
    const bool is_first = job.begins && index_ == 0;
    const UInt<kBus> strobe = strobes(job, is_first, is_last && job.ends);
    pair_offset_ = job.offset;
    pair_is_whole_ = as_bit(job.offset == 0 && ~strobe == 0);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      pair_strobe_[w] = truncate<UInt<4>>(strobe >> UInt<kOffsetBits>::from(4 * w));
    }
    if (is_first) {
      for (int w = 0; w < kWords; ++w) pair_[w] = UInt32(0);
    } else {
      for (int w = 0; w < kWords; ++w) pair_[w] = pair_[w + kWords];
    }
  }
  void take(const Chunk& chunk) {
#pragma unroll
    for (int w = 0; w < kWords; ++w) pair_[w + kWords] = chunk[w];
  }

  void show_beat(WriteBeat<kBus, kData>& beat) const {
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      beat.data[4 * w] = slice<7, 0>(beat_[w]);
      beat.data[4 * w + 1] = slice<15, 8>(beat_[w]);
      beat.data[4 * w + 2] = slice<23, 16>(beat_[w]);
      beat.data[4 * w + 3] = slice<31, 24>(beat_[w]);
    }
    beat.strobe = UInt<kBus>(0);
#pragma unroll
    for (int w = 0; w < kWords; ++w) {
      beat.strobe = beat.strobe | (UInt<kBus>(strobe_[w]) << UInt<kOffsetBits>::from(4 * w));
    }
  }

  void cut_beat() {
    for (int w = 0; w < kWords; ++w) strobe_[w] = pair_strobe_[w];
    if (pair_is_whole_) {
      for (int w = 0; w < kWords; ++w) beat_[w] = pair_[w + kWords];
    } else {
      for (int w = 0; w < kWords; ++w) {
        const Index low = truncate<Index>(first_word(pair_offset_) + Index::from(w));
        beat_[w] = move_up(pair_[low.value()], pair_[truncate<Index>(low + UInt1(1)).value()],
                           slice<1, 0>(pair_offset_)) &
                   byte_mask(pair_strobe_[w]);
      }
    }
  }

  using Index = UInt<index_bits(2 * kWords)>;

  /// The word of the pair that ends in word 0 of the beat: kWords - 1 less the offset's whole
  /// words.
  static Index first_word(const UInt<kOffsetBits>& offset) {
    if constexpr (kOffsetBits > 2) {
      return ~slice<kOffsetBits - 1, 2>(offset);
    } else {
      return Index(0);
    }
  }

  static UInt<kBus> strobes(const Job& job, bool is_first, bool is_last) {
    const UInt<kBus> all = ~UInt<kBus>(0);
    const UInt<kBus> from = is_first ? all << job.offset : all;
    const UInt<kBus> to = is_last ? all >> ~job.end : all;
    return from & to;
  }

  /// `high`, `bytes` places up, and below it what `low` loses.
  static UInt32 move_up(const UInt32& low, const UInt32& high, const UInt<2>& bytes) {
    const UInt32 none_or_two =
        bit<1>(bytes) ? concat(slice<15, 0>(high), slice<31, 16>(low)) : high;
    const UInt32 one_or_three = bit<1>(bytes) ? concat(slice<7, 0>(high), slice<31, 8>(low))
                                              : concat(slice<23, 0>(high), slice<31, 24>(low));
    return bit<0>(bytes) ? one_or_three : none_or_two;
  }

  static UInt32 byte_mask(const UInt<4>& strobe) {
    const UInt8 none(0);
    const UInt8 all(255);
    return concat(concat(bit<3>(strobe) ? all : none, bit<2>(strobe) ? all : none),
                  concat(bit<1>(strobe) ? all : none, bit<0>(strobe) ? all : none));
  }
};

}  // namespace systole::kernels
