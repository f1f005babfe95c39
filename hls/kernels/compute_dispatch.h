#pragma once

#include "hls/kernels/compute_jobs.h"

namespace systole::kernels {

/// The head of the compute engine's commands: keeps the shape, waits for tokens, and makes the
/// jobs of a product. Registers without a clock of their own; the engine moves them.
///
/// A product is handed to the feeders when its operands are there, and permitted when all its
/// tokens are. The two come apart only where it waits for load and store both.
template <int kN>
struct ComputeDispatch {
  UInt1 valid_;
  Command command_;
  UInt1 handed_;
  MatmulShapeCommand shape_;
  EngineBits taken_;

  /// What becomes of the head in this clock.
  struct Decision {
    EngineBits missing;  ///< tokens; of a product
    bool hand;           ///< to the feeders
    bool permit;
    bool leaves;
  };

  Decision decide(const EngineBits& tokens, bool feeders_ready) const {
    Decision decision;
    const bool is_product = valid_ && opcode_of(command_.word) == kOpcodeMatmul;
    // Tokens just taken still show for a clock: the head is empty in that one.
    const EngineBits wait = is_product ? wait_of(command_.word) : EngineBits(0);
    decision.missing = wait & ~tokens;
    const bool waits_for_load = bit<kLoadBit>(wait);
    const bool operands_there =
        waits_for_load ? !bit<kLoadBit>(decision.missing) : decision.missing == 0;
    decision.hand = is_product && !handed_ && operands_there && feeders_ready;
    decision.permit = is_product && (handed_ || decision.hand) && decision.missing == 0;
    decision.leaves = valid_ && (!is_product || decision.permit);
    return decision;
  }

  WeightJob weight_job() const {
    const MatmulCommand product = decode_matmul(command_.word);
    return {.address = truncate<WeightAddress>(product.b_row),
            .tile_step =
                truncate<WeightAddress>(product.transpose_b ? shape_.b_tile_stride : UInt16(kN)),
            .tiles = shape_.tiles,
            .last_depth = shape_.last_depth,
            .turned = ~product.transpose_b};
  }

  RowJob row_job() const {
    const MatmulCommand product = decode_matmul(command_.word);
    return {
        .address = truncate<RowAddress>(product.a_row),
        .tile_step = truncate<RowAddress>(product.transpose_a ? UInt16(kN) : shape_.a_tile_stride),
        .block_step = truncate<RowAddress>(shape_.a_tile_stride),
        .last_row = truncate<UInt16>(shape_.rows - UInt1(1)),
        .tiles = shape_.tiles,
        .last_depth = shape_.last_depth,
        .sum_row = truncate<SumRow>(product.sum_row),
        .is_int8 = product.is_int8,
        .turned = product.transpose_a,
        .accumulate = product.accumulate,
        .ones_row = product.ones_row,
        .gives_load = slice<kLoadBit, kLoadBit>(signal_of(command_.word)),
        .gives_store = slice<kStoreBit, kStoreBit>(signal_of(command_.word)),
        .gives_vector = slice<kVectorBit, kVectorBit>(signal_of(command_.word))};
  }

  void move(const Beat<Command>& next, const Decision& decision) {
    taken_ = decision.permit ? wait_of(command_.word) : EngineBits(0);
    if (decision.hand) handed_ = UInt1(1);
    if (decision.permit) handed_ = UInt1(0);
    const MatmulShapeCommand shape = decode_matmul_shape(command_.word);
    if (valid_ && opcode_of(command_.word) == kOpcodeMatmulShape) shape_ = shape;
    if (!valid_) {
      valid_ = next.valid;
      command_ = next.data;
    } else if (decision.leaves) {
      valid_ = UInt1(0);
    }
  }

  void clear() {
    valid_ = UInt1(0);
    handed_ = UInt1(0);
    taken_ = EngineBits(0);
  }
};

}  // namespace systole::kernels
