#pragma once

#include <cstdint>

#include "hls/kernels/load_patches.h"
#include "sim/memory/ring.h"
#include "sim/timing/timing_bus.h"
#include "sim/timing/timing_command.h"

namespace systole::timing {

/// The time of LoadEngine (hls/kernels/load_engine.h): LoadWalk, LoadBursts and LoadWords, clock by
/// clock, in the host's integers. Patches are walked by the kernel itself.
///
/// Limits   no window is left and memory gives no errors
class TimingLoad {
 public:
  explicit TimingLoad(int array_size) : n_(array_size), burst_bytes_(16 * array_size) {}

  struct Inputs {
    const TimedCommand* command;  ///< the queue's front, or null
    int tokens;
    bool burst_ready;
    bool beat;  ///< a beat of load is shown
    bool last;
  };

  bool command_ready() const { return held_ == nullptr; }
  int taken() const { return taken_; }
  int given() const { return given_; }
  bool offered() const { return offered_; }
  int burst_beats() const { return burst_beats_; }
  bool in_beats() const { return phase_ == Phase::kBeats; }
  bool read_ready() const { return in_beats() || in_flight_ == 0; }
  bool idle() const { return held_ == nullptr && taken_ == 0 && !under_way(); }

  /// Whether nothing happens before other tokens are there than these: a load waits for them, and
  /// nothing else is held.
  bool stands(int tokens) const {
    if (held_ == nullptr || held_->opcode != device::Opcode::kLoad || taken_ != 0) return false;
    const int missing = held_->wait & ~tokens;
    return missing != 0 && wait_for_compute_ == ((missing & kComputeToken) != 0) &&
           wait_for_store_ == ((missing & kStoreToken) != 0) && !under_way() && !waited_for_bus_;
  }

  // The counters of this clock.
  bool busy() const { return walk_busy() || words_busy(); }
  bool wait_for_compute() const { return wait_for_compute_; }
  bool wait_for_store() const { return wait_for_store_; }
  bool wait_for_bus() const { return waited_for_bus_; }
  bool wait_for_data() const { return waited_for_data_; }

  void clock(const Inputs& in) {
    const bool shows_segment = segment_valid_ && !block_valid_;
    const bool bytes = segment_.bytes != 0;
    const bool segment_ready = segments_.size() != kernels::kLoadSegments;
    const bool leaves =
        shows_segment && segment_ready && (stretches_.size() != kStretches || !bytes);
    const Segment leaving = segment_;
    const bool block_leaves = block_valid_ && blocks_.size() != kernels::kLoadBlocks;
    const Block leaving_block = block_;

    const bool done = in.beat && in_beats() && in.last;
    if (!stretches_.empty() || checking_ || offered_ || waited_for_bus_ || done) {
      clock_bursts(in.burst_ready, done);
    }
    if (leaves && bytes) stretches_.push({leaving.bytes, leaving.address});
    clock_words(in.beat);
    if (leaves) segments_.push(leaving);
    if (block_leaves) blocks_.push(leaving_block);
    clock_walk(in, leaves, block_leaves);
  }

 private:
  struct Segment {
    int zeros, bytes;
    std::uint64_t address;
    bool last_of_row, last_of_block;
  };
  struct Block {
    int type, signal;
  };
  struct Stretch {
    int bytes;
    std::uint64_t address;
  };
  struct Word {
    bool valid = false, ends_block = false;
    int signal = 0;
  };
  enum class Phase { kNone, kZeros, kBeats };
  static constexpr std::size_t kStretches = 2;
  static constexpr int kInFlight = 255;

  int n_;
  int burst_bytes_;

  // The walk.
  const TimedCommand* held_ = nullptr;
  int taken_ = 0;
  bool wait_for_compute_ = false, wait_for_store_ = false;
  device::LoadShape shape_;
  bool walking_ = false, in_patches_ = false;
  kernels::LoadPatches patches_;
  int rows_left_ = 0;
  std::uint64_t row_address_ = 0;
  std::uint32_t row_stride_ = 0;
  int row_bytes_ = 0;
  bool block_valid_ = false;
  Block block_{};
  bool segment_valid_ = false;
  Segment segment_{};

  // The bursts.
  sim::Ring<Stretch, kStretches> stretches_;
  bool cutting_ = false;
  Stretch rest_{};
  bool checking_ = false;
  int next_beats_ = 0;
  bool offered_ = false;
  int burst_beats_ = 0;
  int in_flight_ = 0;
  bool waited_for_bus_ = false;

  // The words.
  sim::Ring<Segment, kernels::kLoadSegments> segments_;
  sim::Ring<Block, kernels::kLoadBlocks> blocks_;
  bool words_block_valid_ = false;
  Block words_block_{};
  bool next_valid_ = false;
  Segment next_{};
  Phase phase_ = Phase::kNone;
  int left_ = 0, count_ = 0, offset_ = 0;
  bool all_ = false, last_of_row_ = false, last_of_block_ = false;
  int fill_ = 0, chunk_ = 0;
  Word turning_, merging_, shown_;
  int given_ = 0;
  bool waited_for_data_ = false;

  bool walk_busy() const { return walking_ || block_valid_ || segment_valid_; }
  bool words_busy() const {
    return words_block_valid_ || !blocks_.empty() || turning_.valid || merging_.valid ||
           shown_.valid;
  }
  bool under_way() const {
    return words_busy() || walk_busy() || in_flight_ != 0 || !stretches_.empty() || checking_ ||
           offered_ || next_valid_ || !segments_.empty() || phase_ != Phase::kNone || given_ != 0;
  }

  void clock_walk(const Inputs& in, bool segment_leaves, bool block_leaves) {
    const bool segment_free = !segment_valid_ || segment_leaves;
    const bool had_block = block_valid_;
    const bool was_walking = walking_;
    int missing = 0;
    bool starts = false, lacks = false, takes_patches = false, takes_shape = false;
    if (held_ != nullptr) {
      if (held_->opcode == device::Opcode::kLoad) {
        missing = held_->wait & ~in.tokens;
        lacks = taken_ == 0 && missing != 0;
        starts = taken_ == 0 && missing == 0 && !walking_ && !had_block;
      } else if (held_->opcode == device::Opcode::kLoadPatches) {
        takes_patches = !(walking_ && in_patches_);
      } else {
        takes_shape = true;
      }
    }
    taken_ = starts ? held_->wait : 0;
    wait_for_compute_ = lacks && (missing & kComputeToken) != 0;
    wait_for_store_ = lacks && (missing & kStoreToken) != 0;

    if (segment_leaves) segment_valid_ = false;
    if (block_leaves) block_valid_ = false;
    if (was_walking && segment_free) step();
    if (starts) start();
    if (takes_shape) shape_ = device::decode_load_shape(held_->word);
    if (takes_patches) patches_.take(kernels::decode_load_patches(kernel_word(held_->word)));
    if (held_ == nullptr) {
      held_ = in.command;
    } else if (starts || takes_patches || takes_shape) {
      held_ = nullptr;
    }
  }

  static kernels::CommandWord kernel_word(const device::CommandWord& word) {
    const auto high = static_cast<kernels::CommandWord::Raw>(word.high);
    return kernels::CommandWord::from_raw(high << 64 | word.low);
  }

  void start() {
    const device::Load load = device::decode_load(held_->word);
    block_ = {static_cast<int>(load.type), held_->signal};
    block_valid_ = true;
    walking_ = true;
    in_patches_ = load.patches;
    if (load.patches) patches_.start(kernels::decode_load(kernel_word(held_->word)));
    rows_left_ = shape_.rows;
    row_address_ = load.address;
    row_stride_ = shape_.row_stride;
    row_bytes_ = static_cast<int>(shape_.cols) << static_cast<int>(load.type);
  }

  void step() {
    bool emits = true, ends_row = true;
    Segment segment{0, row_bytes_, row_address_, true, false};
    if (in_patches_) {
      const auto now =
          patches_.step(kernels::LoadBytes::from(static_cast<std::uint64_t>(row_bytes_)),
                        hls::UInt32::from(row_stride_));
      emits = now.emits;
      ends_row = now.ends_row;
      segment = {static_cast<int>(now.segment.zeros.raw()),
                 static_cast<int>(now.segment.bytes.raw()),
                 static_cast<std::uint64_t>(now.segment.address.raw()),
                 static_cast<bool>(now.segment.last_of_row), false};
    } else {
      row_address_ += row_stride_;
    }
    const bool ends_block = ends_row && rows_left_ == 1;
    if (emits) {
      segment_ = segment;
      segment_.last_of_block = ends_block;
      segment_valid_ = true;
    }
    if (ends_row) --rows_left_;
    if (ends_block) walking_ = false;
  }

  void clock_bursts(bool burst_ready, bool burst_done) {
    const bool leaves = offered_ && burst_ready;
    const bool moves = checking_ && (!offered_ || leaves) && in_flight_ != kInFlight;
    const bool cuts = !stretches_.empty() && (!checking_ || moves);
    waited_for_bus_ = offered_ && !burst_ready;
    in_flight_ += moves - burst_done;
    if (moves) {
      burst_beats_ = next_beats_;
      offered_ = true;
    } else if (leaves) {
      offered_ = false;
    }
    if (cuts) {
      const Stretch part = cutting_ ? rest_ : stretches_.front();
      const int place = static_cast<int>(part.address) & (burst_bytes_ - 1);
      const int room = burst_bytes_ - place;
      const bool last = part.bytes <= room;
      const int end = last ? place + part.bytes - 1 : burst_bytes_ - 1;
      next_beats_ = end / n_ - place / n_ + 1;
      rest_ = {part.bytes - room, part.address + static_cast<std::uint64_t>(room)};
      cutting_ = !last;
      checking_ = true;
      if (last) stretches_.pop();
    } else if (moves) {
      checking_ = false;
    }
  }

  void clock_words(bool beat) {
    const bool reads = phase_ == Phase::kBeats && beat;
    const bool moves = reads || phase_ == Phase::kZeros;
    given_ = shown_.ends_block ? shown_.signal : 0;
    shown_ = merging_;
    merging_ = turning_;
    turning_ = {};
    waited_for_data_ = phase_ == Phase::kBeats && !beat;

    bool takes_run = phase_ == Phase::kNone;
    bool ends_block = false;
    if (moves) {
      const int filled = fill_ + count_;
      const bool final = all_ && last_of_row_ && filled <= n_;
      const bool emits = filled >= n_ || final;
      const bool ends_word = emits && (final || chunk_ == (1 << words_block_.type) - 1);
      ends_block = final && last_of_block_;
      turning_ = {ends_word, ends_block, words_block_.signal};
      fill_ = final ? 0 : filled & (n_ - 1);
      if (emits) chunk_ = ends_word ? 0 : (chunk_ + 1) & 3;
      takes_run = all_ && (final || !last_of_row_);
    }
    const bool takes_next = !next_valid_ || (takes_run && !(next_.zeros != 0 && next_.bytes != 0));
    const bool takes_block = !words_block_valid_ || ends_block;
    if (takes_run) {
      take_run();
    } else if (moves) {
      if (all_) phase_ = Phase::kZeros;
      offset_ = 0;
      set_left(left_ - count_, n_);
    }
    if (takes_next) {
      next_valid_ = !segments_.empty();
      if (next_valid_) {
        next_ = segments_.front();
        segments_.pop();
      }
    } else if (takes_run) {
      next_.zeros = 0;
    }
    if (takes_block) {
      words_block_valid_ = !blocks_.empty();
      if (words_block_valid_) {
        words_block_ = blocks_.front();
        blocks_.pop();
      }
    }
  }

  void take_run() {
    if (!next_valid_) {
      phase_ = Phase::kNone;
      return;
    }
    const bool zeros = next_.zeros != 0;
    phase_ = zeros ? Phase::kZeros : Phase::kBeats;
    offset_ = zeros ? 0 : static_cast<int>(next_.address) & (n_ - 1);
    set_left(zeros ? next_.zeros : next_.bytes, n_ - offset_);
    last_of_row_ = next_.last_of_row && (!zeros || next_.bytes == 0);
    last_of_block_ = next_.last_of_block;
  }

  void set_left(int left, int room) {
    left_ = left;
    all_ = left <= room;
    count_ = all_ ? left : room;
  }
};

}  // namespace systole::timing
