#pragma once

#include "hls/kernels/load_bursts.h"
#include "hls/kernels/load_walk.h"
#include "hls/kernels/load_words.h"

namespace systole::kernels {

/// The load engine: takes load commands, reads blocks of memory, and writes them to the buffers as
/// words of N elements.
///
///   commands -> LoadWalk --segments--> LoadBursts -> AXI4 AR
///                  |                                             (beats)
///                  +--blocks, segments--> LoadWords <- AXI4 R
///                                             +-> one buffer word a clock
///
/// Shapes   docs/accelerator.md, "load"; Command is load_shape, load or load_patches
/// Timing   one burst and one read beat a clock; bursts of the next block are offered while beats
///          of the one before still come. The first burst is offered 7 clocks after its command
///          came, a word shown three clocks after its last beat, tokens given in the clock after
/// Limits   kLoadSegments rows, kLoadBlocks blocks and LoadBursts' kInFlight bursts under way.
///          `waits` and all counter bits tell of the clock before: a token that is looked at in
///          this clock may be there already
/// Errors   `fault`, raised for one clock; nothing goes on until `stop`
template <int kN, bool kData = true, int kBus = kN>
struct LoadEngine {
  struct Inputs {
    Beat<Command> command;             ///< load commands in the order of the ring
    EngineBits tokens;                 ///< bit e: engine e has given a token that is not taken
    Windows windows;                   ///< memory that the host has opened
    UInt1 stop;                        ///< drop all that the bus does not owe
    UInt1 burst_ready;                 ///< the burst offered is taken
    Beat<ReadBeat<kBus, kData>> read;  ///< beats on R, in the order of the bursts
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;   ///< tokens taken at this edge, a bit for each engine that gave one
    EngineBits given;   ///< tokens given at this edge, a bit for each engine that gets one
    Beat<Burst> burst;  ///< on AR
    UInt1 read_ready;
    UInt1 rows_valid;          ///< a word for the rows buffer; one buffer a clock at most
    UInt1 weights_valid;       ///< a word for the weights buffer
    UInt1 accumulators_valid;  ///< a row for the accumulators
    UInt1 masks_valid;         ///< a row for the masks
    BufferRow row;             ///< where the word goes in its buffer
    Carried<Vec<UInt16, kN>, kData> operands;  ///< the word for rows or weights
    Carried<Vec<UInt32, kN>, kData> sums;      ///< the row for the accumulators
    Carried<UInt<kN>, kData> mask;             ///< the row for the masks
    EngineFault fault;                         ///< the fault that stops the device
    UInt1 idle;   ///< nothing is held, nor was under way or owed by the bus in the clock before
    UInt1 waits;  ///< nothing under way, and a command waits for tokens
    CommandIndex waiting_command;  ///< index of the command that waits for a token
    UInt1 busy;                    ///< for the counter: a block is under way
    UInt1 wait_for_compute;        ///< for the counter: waits for a token from compute
    UInt1 wait_for_store;          ///< for the counter: waits for a token from store
    UInt1 wait_for_vector;         ///< for the counter: waits for a token from vector
    UInt1 wait_for_bus;            ///< for the counter: waits for the bus
    UInt1 wait_for_data;           ///< for the counter: waits for read beats
  };

  Outputs outputs() const {
    const auto walk = walk_.outputs();
    const auto bursts = bursts_.outputs();
    const auto words = words_.outputs();
    return {.command_ready = walk.command_ready,
            .taken = walk.taken,
            .given = words.given,
            .burst = bursts.burst,
            .read_ready = words.read_ready,
            .rows_valid = words.rows_valid,
            .weights_valid = words.weights_valid,
            .accumulators_valid = words.accumulators_valid,
            .masks_valid = words.masks_valid,
            .row = words.row,
            .operands = words.operands,
            .sums = words.sums,
            .mask = words.mask,
            .fault = words.fault.raised ? words.fault : bursts.fault,
            .idle = walk.idle & rests_,
            .waits = walk.waits & rests_,
            .waiting_command = walk.waiting_command,
            .busy = walk.busy | words.busy,
            .wait_for_compute = walk.wait_for_compute,
            .wait_for_store = walk.wait_for_store,
            .wait_for_vector = walk.wait_for_vector,
            .wait_for_bus = bursts.wait_for_bus,
            .wait_for_data = words.wait_for_data};
  }

  void clock(const Inputs& in) {
    const auto walk = walk_.outputs();
    const auto bursts = bursts_.outputs();
    const auto words = words_.outputs();
    rests_ = ~walk.busy & bursts.idle & words.idle;
    // A segment goes both ways or neither; the bursts need only its bytes.
    const bool bytes = bool(walk.segment_has_bytes);
    const bool leaves = words.segment_ready && (bursts.stretch_ready || !bytes);
    walk_.clock({.command = in.command,
                 .tokens = in.tokens,
                 .stop = in.stop,
                 .block_ready = words.block_ready,
                 .segment_ready = as_bit(leaves)});
    bursts_.clock({.stretch_valid = as_bit(walk.segment_valid && leaves && bytes),
                   .stretch = {.bytes = walk.segment.bytes,
                               .address = walk.segment.address,
                               .command = walk.segment_command},
                   .stop = in.stop,
                   .windows = in.windows,
                   .burst_ready = in.burst_ready,
                   .burst_done = in.read.valid & words.read_ready & in.read.data.last});
    words_.clock({.block_valid = walk.block_valid,
                  .block = walk.block,
                  .segment_valid = as_bit(walk.segment_valid && leaves),
                  .segment = walk.segment,
                  .stop = in.stop,
                  .read_valid = in.read.valid,
                  .read_data = in.read.data.data,
                  .read_error = in.read.data.error});
  }

  void reset() {
    walk_.reset();
    bursts_.reset();
    words_.reset();
    rests_ = UInt1(1);
  }

 private:
  LoadWalk<(kBus > kN)> walk_;
  LoadBursts<kBus> bursts_;
  LoadWords<kN, kData, kBus> words_;
  UInt1 rests_;  ///< in the clock before, nothing was under way
};

}  // namespace systole::kernels
