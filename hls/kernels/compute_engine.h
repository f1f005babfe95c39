#pragma once

#include <algorithm>

#include "hls/kernels/compute_dispatch.h"
#include "hls/kernels/delay_line.h"
#include "hls/kernels/row_feeder.h"
#include "hls/kernels/turner.h"
#include "hls/kernels/weight_feeder.h"

namespace systole::kernels {

/// Drives the array: takes products from its queue and feeds weights and rows from their buffers,
/// so that a row enters every clock for as long as operands are there. docs/accelerator.md says
/// what a product is.
///
/// Weights and rows have a feeder each, which may be some products apart: while the rows of one
/// enter, the weights of the next are on their way.
///
/// Shapes   rows_data, weights_data: the buffers' words, one clock after their read; activation and
///          weight: those of MatrixUnit
/// Timing   outputs follow from registers alone. compute_cycles is what a lone product takes.
///          Operands are fetched when load's token is there; a token from store holds up the rows
///          only, unless none from load is asked for. Load's token is given when the product's last
///          row has been read; store's, so that an engine that sees it may let a read enter one
///          clock later.
/// Limits   commands are legal; a matmul_shape comes before the first matmul
/// Errors   none. `stop` drops everything; once `idle`, the engine is as after reset but for shapes
template <int kN, bool kData = true, int kStages = kMacStages>
struct ComputeEngine {
  using Unit = MatrixUnit<kN, kDefaultBankRows, kStages>;

  struct Inputs {
    Beat<Command> command;  ///< compute commands in the order of the ring
    EngineBits tokens;      ///< bit e: engine e has given a token that is not taken
    UInt1 stop;             ///< drop everything
    Carried<Vec<UInt16, kN>, kData> rows_data;  ///< the word read from the rows buffer a clock ago
    Carried<Vec<UInt16, kN>, kData> weights_data;  ///< the weights read a clock ago
  };
  struct Outputs {
    UInt1 command_ready;
    EngineBits taken;         ///< tokens taken at this edge, a bit for each engine that gave one
    EngineBits given;         ///< tokens given at this edge, a bit for each engine that gets one
    UInt1 rows_read;          ///< read the rows buffer
    RowAddress rows_address;  ///< the word to read
    UInt1 weights_read;       ///< read the weights buffer
    WeightAddress weights_address;  ///< the word to read
    // MatrixUnit's inputs.
    UInt1 row_valid;                             ///< a row enters
    Carried<Vec<UInt16, kN>, kData> activation;  ///< one for each row of the array
    UInt1 plane;                                 ///< the weights that this row multiplies
    UInt1 is_int8;                           ///< int8 operands and int32 sums; else bf16 and fp32
    SumRow row;                              ///< the accumulator row that the sums go to
    UInt1 accumulate;                        ///< add to the row; else overwrite it
    UInt1 weight_valid;                      ///< a column of weights enters
    Carried<Vec<UInt16, kN>, kData> weight;  ///< one for each row of the array
    UInt<kHopBits> weight_column;            ///< the column that keeps the weights
    UInt1 weight_plane;                      ///< the plane that the weights replace

    UInt1 idle;   ///< no product is held or under way
    UInt1 waits;  ///< nothing can happen before a token comes; may show one clock after it came
    CommandIndex waiting_command;  ///< index of the command that waits for a token
    // For the counters; at most one of rows and wait_for_* is set.
    UInt1 rows;              ///< for the counter: a row is read
    UInt1 tiles;             ///< for the counter: a tile ends
    UInt1 wait_for_load;     ///< for the counter: waits for a token from load
    UInt1 wait_for_store;    ///< for the counter: waits for a token from store
    UInt1 wait_for_vector;   ///< for the counter: waits for a token from vector
    UInt1 wait_for_weights;  ///< for the counter: rows wait for weights
    UInt1 wait_for_sums;     ///< for the counter: rows wait for sums that are under way
    UInt1 wait_for_command;  ///< for the counter: waits for a command
  };

  Outputs outputs() const {
    const auto rows = row_feeder_.outputs();
    const auto weights = weight_feeder_.outputs();
    const UInt1 no_product = ~counted_.rows & ~counted_.permitted;
    const UInt1 lacks = as_bit(counted_.missing != 0);
    const UInt1 lacks_load = slice<kLoadBit, kLoadBit>(counted_.missing);
    const UInt1 lacks_store = slice<kStoreBit, kStoreBit>(counted_.missing);
    return {.command_ready = ~dispatch_.valid_,
            .taken = dispatch_.taken_,
            .given = concat(concat(vector_given_.front(), sums_given_.front()),
                            concat(UInt1(0), load_given_)),
            .rows_read = rows.read,
            .rows_address = rows.address,
            .weights_read = weights.read,
            .weights_address = weights.address,
            .row_valid = rows.row_valid,
            .activation = activation_,
            .plane = rows.plane,
            .is_int8 = rows.is_int8,
            .row = rows.row,
            .accumulate = rows.accumulate,
            .weight_valid = weights.weight_valid,
            .weight = weight_turner_.outputs().word,
            .weight_column = weights.weight_column,
            .weight_plane = weights.weight_plane,
            .idle = rests_ & ~dispatch_.valid_,
            .waits = waits_,
            .waiting_command = dispatch_.command_.index,
            .rows = counted_.rows,
            .tiles = counted_.tiles,
            .wait_for_load = no_product & lacks_load,
            .wait_for_store = no_product & ~lacks_load & lacks_store,
            .wait_for_vector = no_product & ~lacks_load & ~lacks_store & lacks,
            .wait_for_weights = counted_.lacks_weights,
            .wait_for_sums = counted_.lacks_sums,
            .wait_for_command = no_product & ~lacks};
  }

  void clock(const Inputs& in) {
    const auto rows = row_feeder_.outputs();
    const auto weights = weight_feeder_.outputs();
    const auto row_jobs = row_jobs_.outputs();
    const auto weight_jobs = weight_jobs_.outputs();
    const auto decision =
        dispatch_.decide(in.tokens, row_jobs.push_ready && weight_jobs.push_ready);

    rests_ = as_bit(!dispatch_.valid_ && dispatch_.taken_ == 0 && !row_jobs.pop.valid &&
                    !weight_jobs.pop.valid && rows.idle && weights.idle && settling_ == 0);
    if constexpr (kData) choose_row(rows, in.rows_data);
    count(rows, decision.missing);
    settle(rows, decision.missing);

    row_turner_.clock({.step = rows.turner_step,
                       .blank = rows.turner_blank,
                       .turn = rows.turner_turn,
                       .word = in.rows_data});
    weight_turner_.clock({.step = weights.turner_step,
                          .blank = weights.turner_blank,
                          .turn = weights.turner_turn,
                          .word = in.weights_data});
    row_feeder_.clock({.job = row_jobs.pop,
                       .tile_ready = weights.tile_ready,
                       .permit = as_bit(decision.permit),
                       .stop = in.stop});
    weight_feeder_.clock({.job = weight_jobs.pop, .tile_done = rows.tile_done, .stop = in.stop});
    const UInt1 hand = as_bit(decision.hand);
    row_jobs_.clock(
        {.push = {.valid = hand, .data = dispatch_.row_job()}, .pop_ready = rows.job_ready});
    weight_jobs_.clock(
        {.push = {.valid = hand, .data = dispatch_.weight_job()}, .pop_ready = weights.job_ready});
    dispatch_.move(in.command, decision);
    if (in.stop) clear();
  }

  void reset() {
    row_feeder_.reset();
    weight_feeder_.reset();
    row_turner_.reset();
    weight_turner_.reset();
    row_jobs_.reset();
    weight_jobs_.reset();
    settling_ = Settling(0);
    rests_ = UInt1(1);
    // So that a row is never endless, whatever comes first.
    dispatch_.shape_ = {
        .rows = 1, .a_tile_stride = 0, .b_tile_stride = 0, .tiles = 1, .last_depth = 1};
    clear();
  }

 private:
  /// From the clock in which a row is read to the one in which store's token is shown: the row
  /// enters two clocks later, and a read two clocks after the token at the earliest.
  static constexpr int kTokenCycles = Unit::kArrayCycles + Unit::kLoopCycles;
  /// From there until nobody sees anything of that row change.
  static constexpr int kSettleCycles = kTokenCycles + 4;
  /// Weights of one-tile products are read four products ahead of their rows.
  static constexpr int kJobs = RowFeeder<kN>::kQueuedJobs;
  using Settling = UInt<index_bits(kSettleCycles + 1)>;
  using Rows = typename RowFeeder<kN>::Outputs;

  /// What happened in a clock, for the counters.
  struct Counted {
    UInt1 rows;
    UInt1 tiles;
    UInt1 permitted;  ///< a product is not done
    EngineBits missing;
    UInt1 lacks_weights;
    UInt1 lacks_sums;
  };

  ComputeDispatch<kN> dispatch_;
  Fifo<RowJob, kJobs> row_jobs_;
  Fifo<WeightJob, kJobs> weight_jobs_;
  RowFeeder<kN> row_feeder_;
  WeightFeeder<kN> weight_feeder_;
  Turner<kN, kData> row_turner_;
  Turner<kN, kData> weight_turner_;
  Carried<Vec<UInt16, kN>, kData> activation_;
  UInt1 load_given_;
  DelayLine<kTokenCycles> sums_given_;  ///< to store
  DelayLine<kTokenCycles> vector_given_;
  Settling settling_;
  UInt1 rests_;  ///< in the clock before, nothing was held or under way
  UInt1 waits_;
  Counted counted_;

  /// The row that enters the array in the next clock.
  void choose_row(const Rows& rows, const Vec<UInt16, kN>& data) {
    const UInt16 one = rows.takes_int8 ? UInt16(1) : UInt16(0x3f80);
    const auto turned = row_turner_.outputs().word;
#pragma unroll
    for (int k = 0; k < kN; ++k) {
      UInt16 chosen = data[k];
      if (rows.takes_turned) chosen = turned[k];
      if (rows.takes_ones) chosen = one;
      if (rows.takes_row) activation_[k] = chosen;
    }
  }

  void count(const Rows& rows, const EngineBits& missing) {
    counted_ = {.rows = rows.row_goes,
                .tiles = rows.tile_done,
                .permitted = rows.permitted,
                .missing = missing,
                .lacks_weights = rows.lacks_weights,
                .lacks_sums = rows.lacks_sums};
  }

  /// What is left of rows on their way: tokens, and the time until the last sums are in place.
  void settle(const Rows& rows, const EngineBits& missing) {
    load_given_ = rows.gives_load;
    sums_given_.move(rows.gives_store);
    vector_given_.move(rows.gives_vector);
    waits_ = as_bit(missing != 0 && !rows.permitted && settling_ == 0);
    if (rows.row_goes) {
      settling_ = Settling::from(kSettleCycles);
    } else if (settling_ != 0) {
      settling_ = truncate<Settling>(settling_ - UInt1(1));
    }
  }

  void clear() {
    dispatch_.clear();
    load_given_ = UInt1(0);
    sums_given_.clear();
    vector_given_.clear();
    waits_ = UInt1(0);
    counted_ = {.rows = UInt1(0),
                .tiles = UInt1(0),
                .permitted = UInt1(1),  // so that nothing counts
                .missing = EngineBits(0),
                .lacks_weights = UInt1(0),
                .lacks_sums = UInt1(0)};
  }
};

/// Clocks from the one in which a lone product is taken to the one in which its last row enters the
/// array, both counted, when its tokens are there.
///
/// Limits   the shape's own: rows, tiles >= 1. The product's own rows are all that it meets.
template <int kN>
constexpr std::int64_t compute_cycles(std::int64_t rows, std::int64_t tiles, bool transpose_a,
                                      bool ones_row) {
  constexpr std::int64_t kLoop = RowFeeder<kN>::kLoopCycles;
  const std::int64_t entering = rows + (ones_row ? 1 : 0);
  // A block that another one follows takes as long as that one's words.
  const std::int64_t last_block = (rows - 1) / kN * kN;
  const std::int64_t tile =
      transpose_a ? last_block + std::max<std::int64_t>(kN, entering - last_block) : entering;
  const std::int64_t period = std::max<std::int64_t>({tile, kN, kLoop});
  // Three clocks to the feeders, a tile into the turner and out of it, two clocks to the array.
  const std::int64_t first_row = 3 + 2 * kN + 1;
  return first_row + (tiles - 1) * period + entering;
}

}  // namespace systole::kernels
