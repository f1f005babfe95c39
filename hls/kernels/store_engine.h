#pragma once

#include "hls/kernels/store_beats.h"
#include "hls/kernels/store_bursts.h"
#include "hls/kernels/store_rows.h"
#include "hls/kernels/vector_lanes.h"

namespace systole::kernels {

/// The store engine: accumulator rows to memory, converted. docs/accelerator.md says what a store
/// is.
///
///     commands -> StoreRows --read--> accumulators, masks -> VectorLanes -> StoreBeats -> W
///                     |                                                        ^
///                     `----row----> StoreBursts --------------job--------------'
///                                    ^      |
///                                    B      AW
///
/// Shapes   result is the row read 2 clocks before, mask the one read a clock before
/// Timing   with a bus that is always ready, aligned rows of word32 and bf16 leave a beat every
///          clock, int8 rows one every other clock; the first beat comes 15 clocks after the store
///          command was taken.
///          A burst's beats follow its AW. Up to 64 bursts wait for their answers.
/// Limits   commands are legal; whoever orders the engines leaves a row alone until store gives
///          a token for it
/// Errors   write_window, write_error: store_bursts.h. After a fault, or with `stop`, bursts that
///          were offered get their beats and answers; everything else is dropped, and the engine is
///          ready for other commands as soon as `stop` falls.
template <int kN, bool kData = true, int kBus = kN>
struct StoreEngine {
  struct Inputs {
    Beat<Command> command;  ///< store commands in the order of the ring
    EngineBits tokens;      ///< bit e: engine e has given a token that is not taken
    Windows windows;        ///< memory that the host has opened
    UInt1 stop;             ///< drop all that was not offered on the bus
    UInt1 result_valid;     ///< the row that was read comes
    Carried<Vec<UInt32, kN>, kData> result;  ///< the row read two clocks ago
    Carried<UInt<kN>, kData> mask;           ///< the mask read a clock ago
    UInt1 burst_ready;                       ///< the burst offered is taken
    UInt1 write_ready;
    UInt1 response_valid;  ///< an answer on B
    UInt1 response_error;  ///< the answer reports a failed write
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;   ///< tokens taken at this edge, a bit for each engine that gave one
    EngineBits given;   ///< tokens given at this edge, a bit for each engine that gets one
    UInt1 read_valid;   ///< read an accumulator row
    UInt<10> read_row;  ///< the row to read
    UInt1 mask_read;    ///< read a row of the masks
    UInt<11> mask_row;  ///< the row to read
    Beat<Burst> burst;  ///< on AW
    Beat<WriteBeat<kBus, kData>> write;  ///< on W
    UInt1 response_ready;                ///< an answer is taken
    EngineFault fault;                   ///< for one clock
    UInt1 idle;                          ///< nothing is held, nor was under way in the clock before
    UInt1 waits;                         ///< nothing under way, and a command waits for tokens
    CommandIndex waiting_command;        ///< index of the command that waits for a token
    UInt1 busy;                          ///< for the counter: rows are read or bursts are under way
    UInt1 wait_for_compute;              ///< for the counter: waits for a token from compute
    UInt1 wait_for_load;                 ///< for the counter: waits for a token from load
    UInt1 wait_for_vector;               ///< for the counter: waits for a token from vector
    UInt1 wait_for_bus;                  ///< for the counter: waits for the bus
  };

  Outputs outputs() const {
    const auto rows = rows_.outputs();
    const auto bursts = bursts_.outputs();
    const auto beats = beats_.outputs();
    return {.command_ready = rows.command_ready,
            .taken = rows.taken,
            .given = concat(concat(slice<1, 1>(bursts.gives), UInt1(0)),
                            concat(rows.gives_compute, slice<0, 0>(bursts.gives))),
            .read_valid = rows.read_valid,
            .read_row = rows.read_row,
            .mask_read = rows.mask_read,
            .mask_row = rows.mask_row,
            .burst = bursts.burst,
            .write = beats.write,
            .response_ready = UInt1(1),
            .fault = bursts.fault,
            .idle = rests_ & rows.command_ready,
            .waits = rows.waits,
            .waiting_command = rows.waiting_command,
            .busy = rows.is_reading | ~bursts.idle,
            .wait_for_compute = rows.wait_for_compute,
            .wait_for_load = rows.wait_for_load,
            .wait_for_vector = rows.wait_for_vector,
            .wait_for_bus = wait_for_bus_};
  }

  void clock(const Inputs& in) {
    const auto rows = rows_.outputs();
    const auto bursts = bursts_.outputs();
    const auto beats = beats_.outputs();
    const auto lanes = lanes_.outputs();
    const UInt1 stop = in.stop | bursts.failed;

    rows_.clock({.command = in.command,
                 .tokens = in.tokens,
                 .stop = stop,
                 .row_ready = bursts.row_ready,
                 .chunk_taken = beats.chunk_taken,
                 .lanes_busy = lanes.busy,
                 .bursts_idle = bursts.idle});
    lanes_.clock({.row_valid = in.result_valid,
                  .format = rows.format,
                  .sums = in.result,
                  .mask = in.mask,
                  .seed_valid = rows.seed_valid,
                  .seed = rows.seed});
    bursts_.clock({.row = rows.row,
                   .windows = in.windows,
                   .stop = in.stop,
                   .burst_ready = in.burst_ready,
                   .job_done = beats.job_done,
                   .response_valid = in.response_valid,
                   .response_error = in.response_error});
    beats_.clock({.job = {.valid = bursts.burst.valid & in.burst_ready, .data = bursts.job},
                  .chunk = {.valid = lanes.chunk_valid, .data = lanes.chunk},
                  .drop = stop & ~bursts.owes,
                  .write_ready = in.write_ready});
    rests_ = rows.idle & bursts.idle;
    wait_for_bus_ = (bursts.burst.valid & ~in.burst_ready) | (beats.write.valid & ~in.write_ready);
  }

  void reset() {
    rows_.reset();
    lanes_.reset();
    bursts_.reset();
    beats_.reset();
    rests_ = UInt1(1);
    wait_for_bus_ = UInt1(0);
  }

 private:
  StoreRows<kN, kBus> rows_;
  VectorLanes<kN, kData, kBus> lanes_;
  StoreBursts<kN, kBus> bursts_;
  StoreBeats<kBus, kData> beats_;
  UInt1 rests_;
  UInt1 wait_for_bus_;
};

}  // namespace systole::kernels
