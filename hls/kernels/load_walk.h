#pragma once

#include "hls/kernels/load_patches.h"

namespace systole::kernels {

/// Takes load's commands, waits for their tokens, and walks over the rows of each block, or over
/// its patches (load_patches.h).
///
/// Timing   one segment a clock, two clocks between blocks; kAhead is load_patches.h's; a command
///          is taken every other clock at most. `waits` and the wait_for_ bits tell of the clock
///          before
/// Limits   a block leaves before its segments. The tokens are not looked at in the clock that
///          shows `taken`
template <bool kAhead = false>
struct LoadWalk {
  struct Inputs {
    Beat<Command> command;  ///< load commands in the order of the ring
    EngineBits tokens;      ///< bit e: engine e has given a token that is not taken
    UInt1 stop;             ///< drop the commands and the walk
    UInt1 block_ready;      ///< the block is taken
    UInt1 segment_ready;    ///< the segment is taken
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;         ///< tokens taken at this edge, a bit for each engine that gave one
    UInt1 block_valid;        ///< a block is offered, before its segments
    LoadBlock block;          ///< a load whose words are still to come
    UInt1 segment_valid;      ///< a segment is offered
    LoadSegment segment;      ///< a part of a block's row
    UInt1 segment_has_bytes;  ///< the segment reads memory
    CommandIndex segment_command;  ///< index of the command that wants the segment
    UInt1 waits;                   ///< a command waits for a token
    CommandIndex waiting_command;  ///< index of the command that waits for a token
    UInt1 wait_for_compute;        ///< for the counter: waits for a token from compute
    UInt1 wait_for_store;          ///< for the counter: waits for a token from store
    UInt1 wait_for_vector;         ///< for the counter: waits for a token from vector
    UInt1 busy;                    ///< segments of a block are to come
    UInt1 idle;                    ///< no command is held and no block is walked
  };

  Outputs outputs() const {
    const UInt1 busy = walking_ | block_valid_ | segment_valid_;
    return {.command_ready = ~held_valid_,
            .taken = taken_,
            .block_valid = block_valid_,
            .block = block_,
            .segment_valid = segment_valid_ & ~block_valid_,
            .segment = segment_,
            .segment_has_bytes = segment_has_bytes_,
            .segment_command = segment_command_,
            .waits = wait_for_compute_ | wait_for_store_ | wait_for_vector_,
            .waiting_command = held_.index,
            .wait_for_compute = wait_for_compute_,
            .wait_for_store = wait_for_store_,
            .wait_for_vector = wait_for_vector_,
            .busy = busy,
            .idle = ~held_valid_ & ~busy & as_bit(taken_ == 0)};
  }

  void clock(const Inputs& in) {
    const bool segment_leaves = segment_valid_ && !block_valid_ && in.segment_ready;
    const bool segment_free = !segment_valid_ || segment_leaves;
    const EngineBits wanted = wait_of(held_.word);
    const bool may_look = taken_ == 0;
    const EngineBits missing = wanted & ~in.tokens;
    const bool lacks = is_load_ && may_look && missing != 0;
    const bool takes_patches = is_patches_ && !(walking_ && in_patches_);
    const bool may_start = is_load_ && !walking_ && !block_valid_;
    const bool starts = may_start && may_look && missing == 0 && !in.stop;

    taken_ = starts ? wanted : EngineBits(0);
    wait_for_compute_ = as_bit(lacks && bit<kComputeBit>(missing) && !in.stop);
    wait_for_store_ = as_bit(lacks && bit<kStoreBit>(missing) && !in.stop);
    wait_for_vector_ = as_bit(lacks && bit<kVectorBit>(missing) && !in.stop);

    if (segment_leaves) segment_valid_ = UInt1(0);
    if (block_valid_ && in.block_ready) block_valid_ = UInt1(0);
    if (walking_ && segment_free) step();
    // Ready before it is known whether the load starts, which is late.
    if (may_start) prepare();
    if (starts) {
      block_valid_ = UInt1(1);
      walking_ = UInt1(1);
    }
    if (is_shape_) shape_ = decode_load_shape(held_.word);
    if (takes_patches) patches_.take(decode_load_patches(held_.word));

    if (!held_valid_ && in.command.valid) {
      const Opcode opcode = opcode_of(in.command.data.word);
      held_ = in.command.data;
      held_valid_ = UInt1(1);
      is_load_ = as_bit(opcode == kOpcodeLoad);
      is_patches_ = as_bit(opcode == kOpcodeLoadPatches);
      is_shape_ = as_bit(opcode == kOpcodeLoadShape);
    } else if (starts || takes_patches || is_shape_) {
      drop_held();
    }
    if (in.stop) {
      drop_held();
      walking_ = UInt1(0);
      block_valid_ = UInt1(0);
      segment_valid_ = UInt1(0);
    }
  }

  void reset() {
    drop_held();
    taken_ = EngineBits(0);
    wait_for_compute_ = UInt1(0);
    wait_for_store_ = UInt1(0);
    wait_for_vector_ = UInt1(0);
    walking_ = UInt1(0);
    block_valid_ = UInt1(0);
    segment_valid_ = UInt1(0);
  }

 private:
  UInt1 held_valid_;
  Command held_;
  // What is held.
  UInt1 is_load_;
  UInt1 is_patches_;
  UInt1 is_shape_;
  LoadShapeCommand shape_;
  EngineBits taken_;
  UInt1 wait_for_compute_;
  UInt1 wait_for_store_;
  UInt1 wait_for_vector_;

  UInt1 walking_;
  UInt1 in_patches_;  ///< the rows are patches
  LoadPatches<kAhead> patches_;
  UInt16 rows_left_;
  Address row_address_;
  UInt32 row_stride_;
  LoadBytes row_bytes_;
  CommandIndex command_;

  UInt1 block_valid_;
  LoadBlock block_;
  UInt1 segment_valid_;
  LoadSegment segment_;
  UInt1 segment_has_bytes_;
  CommandIndex segment_command_;

  void drop_held() {
    held_valid_ = UInt1(0);
    is_load_ = UInt1(0);
    is_patches_ = UInt1(0);
    is_shape_ = UInt1(0);
  }

  void prepare() {
    const LoadCommand load = decode_load(held_.word);
    block_ = {.buffer = load.buffer,
              .type = load.type,
              .row = truncate<BufferRow>(load.row),
              .tile_stride = truncate<BufferRow>(shape_.tile_stride),
              .signal = signal_of(held_.word),
              .command = held_.index};
    in_patches_ = load.patches;
    patches_.start(load);
    rows_left_ = shape_.rows;
    row_address_ = truncate<Address>(load.address);
    row_stride_ = shape_.row_stride;
    row_bytes_ = LoadBytes(shape_.cols) << load.type;
    command_ = held_.index;
  }

  /// One clock of the walk over a block: its next segment, in most clocks.
  void step() {
    typename LoadPatches<kAhead>::Step now{.may_emit = true,
                                           .emits = true,
                                           .ends_row = true,
                                           .has_bytes = true,
                                           .segment = {.zeros = LoadBytes(0),
                                                       .bytes = row_bytes_,
                                                       .address = row_address_,
                                                       .last_of_row = UInt1(1),
                                                       .last_of_block = UInt1(0)}};
    if (in_patches_) {
      now = patches_.step(row_bytes_, row_stride_);
    } else {
      row_address_ = truncate<Address>(row_address_ + row_stride_);
    }
    const bool ends_block = now.ends_row && rows_left_ == 1;
    if (now.may_emit) {
      segment_ = now.segment;
      segment_.last_of_block = as_bit(ends_block);
      segment_has_bytes_ = as_bit(now.has_bytes);
      segment_command_ = command_;
      segment_valid_ = as_bit(now.emits);
    }
    if (now.ends_row) rows_left_ = truncate<UInt16>(rows_left_ - UInt1(1));
    if (ends_block) walking_ = UInt1(0);
  }
};

}  // namespace systole::kernels
