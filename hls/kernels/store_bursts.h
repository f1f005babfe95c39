#pragma once

#include "hls/kernels/store_rows.h"

namespace systole::kernels {

/// Rows that may wait for their bursts, bursts whose beats may wait, bursts that memory may owe an
/// answer.
inline constexpr int kStoreRowPlaces = 8;
inline constexpr int kStoreJobs = 8;
inline constexpr int kStoreBurstsOutstanding = 64;

/// The beats of one burst: a row, or its part on one side of a 4 KiB boundary.
template <int kBus>
struct StoreJob {
  UInt<index_bits(kBus)> offset;  ///< of the row's first byte in a beat
  UInt<index_bits(kBus)> end;     ///< of its last one
  UInt<3> last_beat;              ///< number of its last beat
  UInt1 begins;                   ///< the row
  UInt1 ends;                     ///< the row ends here
  UInt1 spills;  ///< the row's last beat holds only what the chunk before it left over
};

/// The bursts of rows, cut at 4 KiB and checked against the windows, and the answers to them.
///
/// Timing   a burst is offered 4 clocks after its row entered, one a clock. Its job is to be taken
///          with it. A token or a fault shows one clock after its cause.
/// Limits   a burst is offered only when there is room for its job and its answer; a row of at most
///          4 kN bytes is two bursts at most. Answers come in order.
/// Errors   write_window with the burst's address, which is not offered, nor is anything after it;
///          write_error with the burst's address
template <int kN, int kBus = kN>
struct StoreBursts {
  static constexpr int kOffsetBits = index_bits(kBus);

  struct Inputs {
    Beat<StoreRow<kN>> row;  ///< a row in memory
    Windows windows;         ///< memory that the host has opened
    UInt1 stop;              ///< drop what is not offered
    UInt1 burst_ready;       ///< the burst offered is taken
    UInt1 job_done;          ///< its last chunk has left the queue
    UInt1 response_valid;    ///< an answer on B
    UInt1 response_error;    ///< the answer reports a failed write
  };
  struct Outputs {
    UInt1 row_ready;
    Beat<Burst> burst;   ///< on AW
    StoreJob<kBus> job;  ///< of the burst that is offered
    UInt1 owes;          ///< beats
    UInt<2> gives;       ///< tokens to load and to vector
    EngineFault fault;   ///< for one clock
    UInt1 failed;        ///< a fault was met, and `stop` is not there yet
    UInt1 idle;          ///< no row is held and no answer is owed
  };

  Outputs outputs() const {
    return {
        .row_ready = rows_.outputs().push_ready,
        .burst = {.valid = burst_valid_, .data = burst_},
        .job = job_,
        .owes = as_bit(jobs_ != 0),
        .gives = gives_,
        .fault = fault_,
        .failed = failed_,
        .idle = ~(rows_.outputs().pop.valid | part_valid_ | checked_valid_ | as_bit(gives_ != 0)) &
                as_bit(outstanding_ == 0)};
  }

  void clock(const Inputs& in) {
    const UInt1 halted = in.stop | failed_;
    const auto waiting = rows_.outputs();
    const auto answers = answers_.outputs();
    const UInt1 is_taken = burst_valid_ & in.burst_ready;
    const UInt1 is_answered = in.response_valid & answers.pop.valid;
    answers_.clock({.push = {.valid = is_taken, .data = answer_}, .pop_ready = in.response_valid});

    const UInt1 is_failed = is_answered & in.response_error;
    gives_ = is_answered & ~in.response_error & ~halted ? answers.pop.data.gives : UInt<2>(0);

    // The part that was checked is offered, if a window holds it.
    const UInt1 leaves = checked_valid_ & (~burst_valid_ | in.burst_ready) & ~halted & has_room_;
    const UInt1 is_inside = as_bit(around_.contain());
    const UInt1 is_offered = leaves & is_inside;
    const UInt1 fails = (is_failed | (leaves & ~is_inside)) & ~halted;
    failed_ = fails | (failed_ & ~in.stop);
    fault_.raised = fails;
    if (fails) {
      fault_ = {.raised = UInt1(1),
                .code = is_failed ? UInt<4>(kFaultWriteError) : UInt<4>(kFaultWriteWindow),
                .command = is_failed ? answers.pop.data.command : checked_.command,
                .address = is_failed ? answers.pop.data.address : checked_.first};
    }
    burst_valid_ = is_offered | (burst_valid_ & ~in.burst_ready);
    if (is_offered) {
      burst_ = {.address = checked_.first, .beats_less_one = checked_.job.last_beat};
      job_ = checked_.job;
      answer_ = {.address = checked_.first,
                 .command = checked_.command,
                 .gives = checked_.job.ends ? checked_.gives : UInt<2>(0)};
    }
    jobs_ = truncate<UInt<4>>(jobs_ + is_offered - in.job_done);
    outstanding_ = truncate<UInt<7>>(outstanding_ + is_offered - is_answered);
    has_room_ = as_bit(jobs_ < UInt<4>(kStoreJobs)) &
                as_bit(outstanding_ < UInt<7>(kStoreBurstsOutstanding));

    const UInt1 is_checked = part_valid_ & (~checked_valid_ | leaves) & ~halted;
    if (is_checked) {
      checked_ = part_;
      around_ = windows_around(in.windows, part_.first, part_.last);
    }
    checked_valid_ = is_checked | (checked_valid_ & ~leaves & ~halted);

    // The next part of the row at the head.
    const UInt1 cuts = waiting.pop.valid & (~part_valid_ | is_checked) & ~halted;
    const Part next = cut(waiting.pop.data);
    part_valid_ = cuts | (part_valid_ & ~is_checked & ~halted);
    if (cuts) {
      part_ = next;
      second_ = ~next.job.ends;
    }
    if (halted) second_ = UInt1(0);
    rows_.clock({.push = {.valid = in.row.valid,
                          .data = {.row = in.row.data, .crosses = crosses(in.row.data)}},
                 .pop_ready = halted | (cuts & next.job.ends)});
  }

  void reset() {
    rows_.reset();
    answers_.reset();
    part_valid_ = UInt1(0);
    checked_valid_ = UInt1(0);
    has_room_ = UInt1(1);
    second_ = UInt1(0);
    burst_valid_ = UInt1(0);
    jobs_ = UInt<4>(0);
    outstanding_ = UInt<7>(0);
    gives_ = UInt<2>(0);
    fault_.raised = UInt1(0);
    failed_ = UInt1(0);
  }

 private:
  /// A burst before it is checked.
  struct Part {
    Address first;
    Address last;
    StoreJob<kBus> job;
    CommandIndex command;
    UInt<2> gives;
  };
  struct Answer {
    Address address;
    CommandIndex command;
    UInt<2> gives;
  };

  struct Waiting {
    StoreRow<kN> row;
    UInt1 crosses;  ///< a 4 KiB boundary
  };

  Fifo<Waiting, kStoreRowPlaces> rows_;
  UInt1 second_;  ///< the row at the head has been cut, and its part past the boundary is next
  UInt1 part_valid_;
  Part part_;
  UInt1 checked_valid_;
  Part checked_;
  WindowsAround around_;  ///< what is checked
  UInt1 has_room_;        ///< for another job and another answer
  UInt1 burst_valid_;
  Burst burst_;
  StoreJob<kBus> job_;
  Answer answer_;
  Fifo<Answer, kStoreBurstsOutstanding> answers_;
  UInt<4> jobs_;
  UInt<7> outstanding_;
  UInt<2> gives_;
  EngineFault fault_;
  UInt1 failed_;

  /// Whole beats between the row's first and the next 4 KiB boundary.
  static UInt<12 - kOffsetBits> beats_to_border(const StoreRow<kN>& row) {
    return ~slice<11, kOffsetBits>(row.address);
  }
  static UInt1 crosses(const StoreRow<kN>& row) {
    const auto end = slice<kOffsetBits - 1, 0>(row.address) + row.last_byte;
    return as_bit(beats_to_border(row) < truncate<UInt<3>>(end >> UInt<4>(kOffsetBits)));
  }

  /// The row's part up to the next 4 KiB boundary, or that past it.
  Part cut(const Waiting& waiting) const {
    const StoreRow<kN>& row = waiting.row;
    const UInt<kOffsetBits> offset = slice<kOffsetBits - 1, 0>(row.address);
    const auto end = offset + row.last_byte;
    const UInt<3> last_beat = truncate<UInt<3>>(end >> UInt<4>(kOffsetBits));
    const UInt<3> last_chunk = truncate<UInt<3>>(row.last_byte >> UInt<4>(kOffsetBits));
    const Address last = truncate<Address>(row.address + row.last_byte);
    const UInt<3> front = truncate<UInt<3>>(beats_to_border(row));
    const UInt1 ends = second_ | ~waiting.crosses;

    Part part;
    part.first = second_ ? concat(slice<Address::kWidth - 1, 12>(last), UInt<12>(0)) : row.address;
    part.last = ends ? last : concat(slice<Address::kWidth - 1, 12>(row.address), ~UInt<12>(0));
    part.job.offset = offset;
    part.job.end = slice<kOffsetBits - 1, 0>(end);
    part.job.last_beat = ends ? last_beat : front;
    if (second_) part.job.last_beat = truncate<UInt<3>>(last_beat + ~front);
    part.job.begins = ~second_;
    part.job.ends = ends;
    part.job.spills = as_bit(last_beat != last_chunk);
    part.command = row.command;
    part.gives = row.gives;
    return part;
  }
};

}  // namespace systole::kernels
