#pragma once

#include "hls/kernels/engine.h"
#include "hls/kernels/vector_lanes.h"

namespace systole::kernels {

/// Chunks, each as wide as the bus, that may be between the accumulators and the bus: the places of
/// the queue at the end, so that nothing before it ever stalls. At a chunk a clock, 13 are under
/// way.
inline constexpr int kStoreChunks = 16;

/// A row of a block in memory, as its bursts need it.
template <int kN>
struct StoreRow {
  /// As wide for the small arrays as for 32, so that they are one design.
  static constexpr int kColumnBits = kN <= 32 ? 5 : index_bits(kN);
  Address address;                  ///< of the first byte
  UInt<kColumnBits + 2> last_byte;  ///< bytes, less one
  CommandIndex command;             ///< its number, for a fault's report
  UInt<2> gives;  ///< tokens to load and to vector, when memory has acknowledged it
};

/// The store engine's commands: keeps the shapes, takes tokens, and reads the accumulator rows of
/// each store one by one, as many clocks apart as the lanes need, while there is room downstream.
///
/// Timing   the first row of a store is read 3 clocks after the command was taken at the earliest;
///          of a command that waits while rows are read, in step with those. `format` is that of
///          the row whose sums arrive, 2 clocks after it was read; its mask is read one clock after
///          its sums, so that both arrive together.
/// Numbers  accumulator and mask rows wrap around; addresses count modulo 2^40
/// Limits   a new seed waits until the lanes are empty. `waits` is set only while nothing else is
///          under way in the engine, and may still be when its token has just come.
template <int kN, int kBus = kN>
struct StoreRows {
  struct Inputs {
    Beat<Command> command;  ///< store commands in the order of the ring
    EngineBits tokens;      ///< bit e: engine e has given a token that is not taken
    UInt1 stop;             ///< drop the commands
    UInt1 row_ready;        ///< there is room for another row's bursts
    UInt1 chunk_taken;      ///< a chunk has left its place
    UInt1 lanes_busy;       ///< a row is in the lanes
    UInt1 bursts_idle;      ///< no burst is held or owed an answer
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;        ///< tokens taken at this edge, a bit for each engine that gave one
    UInt1 gives_compute;     ///< a token for compute: the last row is read
    UInt1 read_valid;        ///< read an accumulator row
    UInt<10> read_row;       ///< the row to read
    UInt1 mask_read;         ///< read a row of the masks
    UInt<11> mask_row;       ///< the row to read
    Beat<StoreRow<kN>> row;  ///< once for each row that is read
    RowFormat format;        ///< of the row whose sums arrive
    UInt1 seed_valid;        ///< the seed enters the lanes
    UInt32 seed;             ///< of the random numbers
    UInt1 is_reading;        ///< a store's rows are being read or are in the lanes
    UInt1 idle;              ///< no command is held and no row is read
    UInt1 waits;             ///< nothing under way, and a command waits for tokens
    CommandIndex waiting_command;  ///< index of the command that waits for a token
    UInt1 wait_for_compute;        ///< for the counter: waits for a token from compute
    UInt1 wait_for_load;           ///< for the counter: waits for a token from load
    UInt1 wait_for_vector;         ///< for the counter: waits for a token from vector
  };

  Outputs outputs() const {
    const UInt1 is_reading = active_ | read_valid_ | as_bit(room_ != UInt<5>(kStoreChunks));
    return {.command_ready = ~head_valid_,
            .taken = taken_,
            .gives_compute = gives_compute_,
            .read_valid = read_valid_,
            .read_row = read_row_,
            .mask_read = mask_read_,
            .mask_row = mask_row_,
            .row = {.valid = read_valid_, .data = row_},
            .format = arriving_,
            .seed_valid = seed_valid_,
            .seed = seed_,
            .is_reading = is_reading,
            .idle = ~(head_valid_ | is_reading | seed_valid_),
            .waits = waits_,
            .waiting_command = head_.index,
            .wait_for_compute = wait_for_compute_,
            .wait_for_load = wait_for_load_,
            .wait_for_vector = wait_for_vector_};
  }

  void clock(const Inputs& in) {
    const UInt1 was_active = active_;
    const UInt1 command_ready = ~head_valid_;
    const UInt1 is_flowing = active_ | read_valid_ | as_bit(in_flight_ != 0) | in.lanes_busy;
    read_next(in);
    execute(in, was_active, is_flowing);
    if (in.command.valid && command_ready && !in.stop) {
      const Opcode opcode = opcode_of(in.command.data.word);
      head_valid_ = UInt1(1);
      head_ = in.command.data;
      is_store_ = as_bit(opcode == kOpcodeStore);
      is_shape_ = as_bit(opcode == kOpcodeStoreShape);
      is_scale_ = as_bit(opcode == kOpcodeStoreScale);
    }
  }

  void reset() {
    drop_head();
    active_ = UInt1(0);
    rows_ = UInt16(1);
    last_column_ = UInt<kColumnBits>(0);
    row_stride_ = UInt32(0);
    scale_ = UInt16(0);
    shift_ = UInt<5>(0);
    pause_ = UInt<2>(0);
    room_ = UInt<5>(kStoreChunks);
    in_flight_ = UInt<2>(0);
    read_valid_ = UInt1(0);
    mask_read_ = UInt1(0);
    taken_ = EngineBits(0);
    gives_compute_ = UInt1(0);
    seed_valid_ = UInt1(0);
    waits_ = UInt1(0);
    wait_for_compute_ = UInt1(0);
    wait_for_load_ = UInt1(0);
    wait_for_vector_ = UInt1(0);
  }

 private:
  static constexpr int kColumnBits = StoreRow<kN>::kColumnBits;

  // The command that is next, and what holds for later ones.
  UInt1 head_valid_;
  Command head_;
  // What it is; none where it is not valid.
  UInt1 is_store_;
  UInt1 is_shape_;
  UInt1 is_scale_;
  UInt16 rows_;
  UInt<kColumnBits> last_column_;
  UInt32 row_stride_;
  UInt16 scale_;
  UInt<5> shift_;

  // The store under way: of its next row, and of all.
  UInt1 active_;
  UInt16 rows_left_;
  Address address_;
  UInt<10> sum_row_;
  UInt<11> next_mask_row_;
  UInt32 stride_;
  UInt<kColumnBits + 2> last_byte_;
  CommandIndex command_;
  EngineBits signal_;
  RowFormat format_;

  UInt<2> pause_;  ///< clocks until the lanes can take another row
  UInt<5> room_;   ///< for chunks
  UInt<2> in_flight_;
  UInt1 read_valid_;
  UInt<10> read_row_;
  StoreRow<kN> row_;
  UInt1 mask_read_;
  UInt<11> mask_row_;
  RowFormat arriving_;
  EngineBits taken_;
  UInt1 gives_compute_;
  UInt1 seed_valid_;
  UInt32 seed_;
  UInt1 waits_;
  UInt1 wait_for_compute_;
  UInt1 wait_for_load_;
  UInt1 wait_for_vector_;

  /// The last of the row's chunks on the bus.
  UInt<2> last_place() const {
    if constexpr (kBus == kN) {
      return format_.last_chunk;
    } else {
      return format_.last_chunk >> UInt<2>(index_bits(kBus / kN));
    }
  }

  void read_next(const Inputs& in) {
    // After the row that was read: its mask, and its format for when its sums arrive.
    mask_read_ = read_valid_ & format_.masked;
    if (read_valid_) {
      mask_row_ = next_mask_row_;
      next_mask_row_ = truncate<UInt<11>>(next_mask_row_ + UInt1(1));
      arriving_ = format_;
    }
    in_flight_ = concat(slice<0, 0>(in_flight_), read_valid_);

    const UInt<5> room = truncate<UInt<5>>(room_ + in.chunk_taken);
    const bool reads = active_ && pause_ == 0 && in.row_ready && room > last_place() && !in.stop;
    const bool is_last = rows_left_ == 1;
    read_valid_ = as_bit(reads);
    gives_compute_ = as_bit(reads && is_last) & slice<kComputeBit, kComputeBit>(signal_);
    room_ = room;
    if (pause_ != 0) pause_ = truncate<UInt<2>>(pause_ - UInt<2>(1));
    if (active_) {  // shown with read_valid_ alone, which is known late
      read_row_ = sum_row_;
      row_ = {.address = address_,
              .last_byte = last_byte_,
              .command = command_,
              .gives = is_last ? concat(slice<kVectorBit, kVectorBit>(signal_),
                                        slice<kLoadBit, kLoadBit>(signal_))
                               : UInt<2>(0)};
    }
    if (reads) {
      room_ = truncate<UInt<5>>(room + ~UInt<5>(last_place()));
      pause_ = format_.last_step;
      sum_row_ = truncate<UInt<10>>(sum_row_ + UInt1(1));
      address_ = truncate<Address>(address_ + stride_);
      rows_left_ = truncate<UInt16>(rows_left_ - UInt16(1));
    }
    if (in.stop || (reads && is_last)) active_ = UInt1(0);
  }

  /// `is_flowing`: sums are read, on their way to the lanes or in them.
  void execute(const Inputs& in, const UInt1& was_active, const UInt1& is_flowing) {
    const EngineBits wanted = wait_of(head_.word);
    const EngineBits missing = wanted & ~in.tokens;
    const StoreScaleCommand scale = decode_store_scale(head_.word);
    const bool may_start = is_store_ && !was_active;
    const bool starts = may_start && missing == 0 && !in.stop;
    const UInt1 is_blocked = as_bit(may_start && missing != 0 && !in.stop);
    const bool seeds = is_scale_ && scale.seed != 0;

    taken_ = starts ? wanted : EngineBits(0);
    waits_ = is_blocked & in.bursts_idle & as_bit(room_ == UInt<5>(kStoreChunks));
    wait_for_compute_ = is_blocked & slice<kComputeBit, kComputeBit>(missing);
    wait_for_load_ = is_blocked & slice<kLoadBit, kLoadBit>(missing);
    wait_for_vector_ = is_blocked & slice<kVectorBit, kVectorBit>(missing);
    seed_valid_ = as_bit(seeds && !is_flowing && !in.stop);
    if (seeds) seed_ = scale.seed;

    // Ready before it is known whether the store starts, which is late; and before a shape is set,
    // so that it does not look as if one came in the same clock.
    if (may_start) prepare();
    if (starts) active_ = UInt1(1);
    if (is_shape_) set_shape();
    if (is_scale_) {
      scale_ = scale.scale;
      shift_ = scale.shift;
    }
    const bool stays = (is_store_ && !starts) || (seeds && is_flowing);
    if (in.stop || !stays) drop_head();
  }

  void drop_head() {
    head_valid_ = UInt1(0);
    is_store_ = UInt1(0);
    is_shape_ = UInt1(0);
    is_scale_ = UInt1(0);
  }

  void set_shape() {
    const StoreShapeCommand shape = decode_store_shape(head_.word);
    rows_ = shape.rows;
    last_column_ = truncate<UInt<kColumnBits>>(shape.cols - UInt8(1));
    row_stride_ = shape.row_stride;
  }

  void prepare() {
    const StoreCommand store = decode_store(head_.word);
    rows_left_ = rows_;
    address_ = truncate<Address>(store.address);
    sum_row_ = slice<9, 0>(store.sum_row);
    next_mask_row_ = slice<10, 0>(store.mask_row);
    stride_ = row_stride_;
    command_ = head_.index;
    signal_ = signal_of(head_.word);
    format_ = row_format<kN>(store, slice<index_bits(kN) - 1, 0>(last_column_), scale_, shift_);
    last_byte_ = concat(last_column_, UInt<2>(3));
    if (is_bf16_format(store.format)) last_byte_ = concat(last_column_, UInt1(1));
    if (is_int8_format(store.format)) last_byte_ = last_column_;
  }
};

}  // namespace systole::kernels
