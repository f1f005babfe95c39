#pragma once

#include <cstdint>

#include "hls/kernels/store_engine.h"
#include "sim/memory/ring.h"
#include "sim/timing/timing_bus.h"
#include "sim/timing/timing_command.h"

namespace systole::timing {

/// The time of StoreEngine (hls/kernels/store_engine.h): StoreRows, VectorLanes, StoreBursts and
/// StoreBeats, clock by clock, in the host's integers.
///
/// Limits   no window is left and memory gives no errors
class TimingStore {
 public:
  explicit TimingStore(int array_size) : n_(array_size) {}

  struct Inputs {
    const TimedCommand* command;  ///< the queue's front, or null
    int tokens;
    bool burst_ready;
    bool write_ready;
    bool response;
  };

  bool command_ready() const { return head_ == nullptr; }
  int taken() const { return taken_; }
  int given() const {
    return (gives_compute_ ? kComputeToken : 0) | (gives_load_ ? kLoadToken : 0);
  }
  bool burst_valid() const { return burst_valid_; }
  int burst_beats() const { return burst_.last_beat + 1; }
  bool beat_valid() const { return beat_valid_; }

  // The counters of this clock.
  bool busy() const { return is_reading() || !bursts_idle(); }
  bool wait_for_compute() const { return wait_for_compute_; }
  bool wait_for_load() const { return wait_for_load_; }
  bool wait_for_bus() const { return wait_for_bus_; }

  bool idle() const { return head_ == nullptr && !is_reading() && !seed_valid_ && bursts_idle(); }
  /// Idle, and no bit that is shown for a clock stands.
  bool asleep() const { return idle() && taken_ == 0 && !gives_compute_ && !wait_for_bus_; }

  /// Whether nothing happens before other tokens are there than these: a store waits for them, and
  /// nothing else is held.
  bool stands(int tokens) const {
    if (head_ == nullptr || head_->opcode != device::Opcode::kStore || taken_ != 0) return false;
    const int missing = head_->wait & ~tokens;
    return missing != 0 && wait_for_compute_ == ((missing & kComputeToken) != 0) &&
           wait_for_load_ == ((missing & kLoadToken) != 0) && !is_reading() && bursts_idle() &&
           in_flight_ == 0 && lanes_ == 0 && !chunk_valid_ && !pair_valid_ && !beat_valid_ &&
           !gives_compute_ && !seed_valid_ && !wait_for_bus_ && !chunk_taken_ && !job_done_;
  }

  void clock(const Inputs& in) {
    const bool row_ready = rows_.size() != kernels::kStoreRowPlaces;
    const bool chunk_taken = chunk_taken_;
    const bool job_done = job_done_;
    const bool lanes_busy = (lanes_ & 0b1111) != 0 || chunk_valid_;
    const bool flowing = active_ || read_valid_ || in_flight_ != 0 || lanes_busy;
    const bool was_active = active_;
    const bool was_ready = head_ == nullptr;
    const bool arrives = (in_flight_ & 2) != 0;
    const bool row_valid = read_valid_;
    const Row row = row_;
    const bool chunk = chunk_valid_;
    const bool burst_leaves = burst_valid_ && in.burst_ready;
    const Part burst = burst_;
    wait_for_bus_ = (burst_valid_ && !in.burst_ready) || (beat_valid_ && !in.write_ready);

    const Format arriving = arriving_;
    read_next(row_ready, chunk_taken);
    execute(in, was_active, flowing);
    if (was_ready) head_ = in.command;
    clock_lanes(arrives, arriving);
    clock_beats(in.write_ready, burst_leaves, burst, chunk);
    clock_bursts(in, job_done);
    if (row_valid) rows_.push(row);
  }

 private:
  struct Format {
    int last_step = 0, last_chunk = 0;
    bool is_int8 = false;
  };
  struct Row {
    std::uint64_t address = 0;
    int last_byte = 0;
    bool gives = false;
  };
  struct Part {
    int last_beat = 0;
    bool ends = false, spills = false, gives = false;
  };

  int n_;

  // The rows.
  const TimedCommand* head_ = nullptr;
  device::StoreShape shape_;
  bool active_ = false;
  int rows_left_ = 0;
  std::uint64_t address_ = 0, stride_ = 0;
  int last_byte_ = 0;
  int signal_ = 0;
  Format format_, arriving_;
  int pause_ = 0;
  int room_ = kernels::kStoreChunks;
  unsigned in_flight_ = 0;
  bool read_valid_ = false;
  Row row_;
  int taken_ = 0;
  bool gives_compute_ = false, seed_valid_ = false;
  bool wait_for_compute_ = false, wait_for_load_ = false, wait_for_bus_ = false;

  // The lanes: bit 0 a row, 1 operands, 2 numbers, 3 results; and which of them make a chunk.
  unsigned lanes_ = 0, makes_ = 0;
  Format lane_;
  int lane_step_ = 0;
  bool chunk_valid_ = false;

  // The bursts.
  sim::Ring<Row, kernels::kStoreRowPlaces> rows_;
  sim::Ring<bool, kernels::kStoreBurstsOutstanding> answers_;  // whether a token is given
  bool second_ = false;
  bool part_valid_ = false;
  Part part_;
  bool burst_valid_ = false;
  Part burst_;
  int jobs_ = 0, outstanding_ = 0;
  bool gives_load_ = false;

  // The beats.
  sim::Ring<Part, kernels::kStoreJobs> owed_;
  int chunks_ = 0;
  int index_ = 0;
  bool pair_valid_ = false, pair_last_ = false;
  bool beat_valid_ = false;
  bool chunk_taken_ = false, job_done_ = false;

  bool is_reading() const { return active_ || read_valid_ || room_ != kernels::kStoreChunks; }
  bool bursts_idle() const {
    return rows_.empty() && !part_valid_ && !gives_load_ && outstanding_ == 0;
  }

  void read_next(bool row_ready, bool chunk_taken) {
    if (read_valid_) arriving_ = format_;
    in_flight_ = (in_flight_ << 1 | read_valid_) & 3;
    room_ += chunk_taken;
    const bool reads = active_ && pause_ == 0 && row_ready && room_ > format_.last_chunk;
    const bool is_last = rows_left_ == 1;
    read_valid_ = reads;
    gives_compute_ = reads && is_last && (signal_ & kComputeToken) != 0;
    if (pause_ != 0) --pause_;
    if (!reads) return;
    room_ -= format_.last_chunk + 1;
    pause_ = format_.last_step;
    row_ = {address_, last_byte_, is_last && (signal_ & kLoadToken) != 0};
    address_ += stride_;
    --rows_left_;
    if (is_last) active_ = false;
  }

  void execute(const Inputs& in, bool was_active, bool flowing) {
    taken_ = 0;
    wait_for_compute_ = wait_for_load_ = seed_valid_ = false;
    if (head_ == nullptr) return;
    bool stays = false;
    if (head_->opcode == device::Opcode::kStore) {
      const int missing = head_->wait & ~in.tokens;
      const bool starts = !was_active && missing == 0;
      stays = !starts;
      if (starts) {
        taken_ = head_->wait;
        start();
      } else if (!was_active) {
        wait_for_compute_ = (missing & kComputeToken) != 0;
        wait_for_load_ = (missing & kLoadToken) != 0;
      }
    } else if (head_->opcode == device::Opcode::kStoreShape) {
      shape_ = device::decode_store_shape(head_->word);
    } else if (device::decode_store_scale(head_->word).seed != 0) {
      seed_valid_ = !flowing;
      stays = flowing;
    }
    if (!stays) head_ = nullptr;
  }

  void start() {
    const device::Store store = device::decode_store(head_->word);
    const bool is_int8 = store.format == device::StoreFormat::kInt8FromFp32 ||
                         store.format == device::StoreFormat::kInt8FromInt32;
    const bool is_bf16 = store.format == device::StoreFormat::kBf16 ||
                         store.format == device::StoreFormat::kBf16Stochastic;
    const int bytes = is_int8 ? 1 : is_bf16 ? 2 : 4;
    const int cols = shape_.cols;
    const int last_chunk = (cols * bytes - 1) / n_;
    active_ = true;
    rows_left_ = shape_.rows;
    address_ = store.address;
    stride_ = shape_.row_stride;
    signal_ = head_->signal;
    last_byte_ = cols * bytes - 1;
    format_ = {.last_step = last_chunk == 0 ? 1 : last_chunk,
               .last_chunk = last_chunk,
               .is_int8 = is_int8};
  }

  void clock_lanes(bool row_arrives, const Format& arriving) {
    chunk_valid_ = (lanes_ & makes_ & 8) != 0;
    const bool row = (lanes_ & 1) != 0;
    bool stays = false, makes = false;
    if (row) {
      makes = lane_.is_int8 ? lane_step_ == int8_last_step() : lane_step_ <= lane_.last_chunk;
      stays = lane_step_ != lane_.last_step;
      lane_step_ = (lane_step_ + 1) & 3;
    }
    lanes_ = (lanes_ << 1 & 0b1110) | static_cast<unsigned>(stays);
    makes_ = (makes_ << 1 & 0b1100) | static_cast<unsigned>(makes) << 1;
    if (row_arrives) {
      lanes_ |= 1;
      lane_ = arriving;
      lane_step_ = 0;
    }
  }
  int int8_last_step() const { return n_ / (n_ / 2 < 4 ? 4 : n_ / 2) - 1; }

  void clock_bursts(const Inputs& in, bool job_done) {
    const bool taken = burst_valid_ && in.burst_ready;
    const bool answered = in.response && !answers_.empty();
    gives_load_ = false;
    if (answered) {
      gives_load_ = answers_.front();
      answers_.pop();
    }
    if (taken) answers_.push(burst_.gives && burst_.ends);
    const bool checked = part_valid_ && (!burst_valid_ || in.burst_ready) &&
                         jobs_ != kernels::kStoreJobs &&
                         outstanding_ != kernels::kStoreBurstsOutstanding;
    burst_valid_ = checked || (burst_valid_ && !in.burst_ready);
    if (checked) burst_ = part_;
    jobs_ += checked - job_done;
    outstanding_ += checked - answered;
    const bool cuts = !rows_.empty() && (!part_valid_ || checked);
    part_valid_ = cuts || (part_valid_ && !checked);
    if (!cuts) return;
    part_ = cut(rows_.front());
    second_ = !part_.ends;
    if (part_.ends) rows_.pop();
  }

  /// The row's part up to the next 4 KiB border, or that behind it.
  Part cut(const Row& row) const {
    constexpr int kPage = 4096;
    const int offset = static_cast<int>(row.address) & (n_ - 1);
    const int last_beat = (offset + row.last_byte) / n_;
    const int to_border = (kPage - 1 - (static_cast<int>(row.address) & (kPage - 1))) / n_;
    const bool ends = second_ || to_border >= last_beat;
    int beats = ends ? last_beat : to_border;
    if (second_) beats = last_beat - to_border - 1;
    return {.last_beat = beats,
            .ends = ends,
            .spills = last_beat != row.last_byte / n_,
            .gives = row.gives};
  }

  void clock_beats(bool write_ready, bool job, const Part& part, bool chunk) {
    const bool moves = !beat_valid_ || write_ready;
    if (moves) beat_valid_ = pair_valid_;
    bool enters = false, takes_chunk = false, is_last = false;
    if (!owed_.empty()) {
      const Part& front = owed_.front();
      is_last = index_ == front.last_beat;
      const bool needs_chunk = !(is_last && front.ends && front.spills);
      enters = (chunks_ != 0 || !needs_chunk) && (!pair_valid_ || moves);
      takes_chunk = enters && needs_chunk;
    }
    if (enters) {
      pair_last_ = is_last;
      index_ = is_last ? 0 : index_ + 1;
    }
    pair_valid_ = enters || (pair_valid_ && !moves);
    chunk_taken_ = takes_chunk;
    job_done_ = enters && is_last;
    if (job_done_) owed_.pop();
    if (job) owed_.push(part);
    chunks_ += chunk - takes_chunk;
  }
};

}  // namespace systole::timing
