#pragma once

#include "hls/kernels/vector/link_stream.h"
#include "hls/kernels/vector/operands.h"
#include "hls/kernels/vector/stream.h"
#include "hls/kernels/vector/unit.h"

namespace systole::kernels {

/// What the sequencer does not know about the vector engine's commands.

/// The tensor of an input or output stream of the unit.
inline VectorStream stream_of(const Command& command) {
  const VectorStreamCommand stream = decode_vector_stream(command.word);
  return {.address = truncate<Address>(stream.address),
          .row_stride = stream.row_stride,
          .rows = stream.rows,
          .cols = stream.cols,
          .format = stream.format,
          .broadcasts = stream.broadcasts,
          .command = command.index};
}

/// The tensor of a stream whose end is a neighbour.
inline LinkStream link_stream_of(const Command& command) {
  const VectorStreamCommand stream = decode_vector_stream(command.word);
  return {.rows = stream.rows,
          .cols = stream.cols,
          .is_down = as_bit(stream.end == kVectorStreamEndDown),
          .command = command.index};
}

/// The instructions or constants that a command brings.
inline VectorProgram program_of(const Command& command) {
  const VectorProgramCommand program = decode_vector_program(command.word);
  return {.address = truncate<Address>(program.address),
          .place = program.place,
          .constants = program.constants,
          .count = program.count};
}

/// Whether programs have brought all instructions of a run; `loaded` has a bit for each.
inline UInt1 is_loaded(const VectorRunCommand& run, const UInt<64>& loaded) {
  const UInt<64> all = ~UInt<64>(0);
  const UInt<64> needed = (all << run.first) & (all >> ~run.last);
  return as_bit((needed & ~loaded) == 0);
}

/// Whether the unit of kLanes lanes does what an instruction says (instruction.h, unit.h).
template <int kLanes>
UInt1 is_legal_vector_instruction(const UInt<64>& word) {
  const VectorInstruction code = decode_vector(word);
  const auto is = [&](VectorOperation operation) {
    return code.operation == UInt<5>::from(static_cast<unsigned>(operation));
  };
  const bool has_two_modes = is(VectorOperation::kToInteger) || is(VectorOperation::kSeed);
  const UInt<3> last_mode = is(VectorOperation::kCompare) ? UInt<3>(5)
                            : has_two_modes               ? UInt<3>(1)
                                                          : UInt<3>(0);
  const bool is_lane_exchange = code.exchange <= UInt<4>(index_bits(kLanes));
  const bool is_slot_exchange =
      code.exchange >= UInt<4>(kExchangeSlot) && code.exchange <= UInt<4>(kExchangeSlot + 2);
  const bool writes_b = code.writes && is_register(code.b) && code.target == slice<3, 0>(code.b);
  const bool has_sources = is_source(code.a) && is_source(code.b) && is_source(code.c);
  const bool slots_stand = !takes_word(code) && code.out == 0 && !writes_b;
  return as_bit(code.operation <= UInt<5>(kVectorOperations - 1)) & as_bit(code.mode <= last_mode) &
         as_bit(code.out <= UInt<3>(4)) & as_bit(has_sources) &
         as_bit(is_lane_exchange || (is_slot_exchange && slots_stand)) &
         as_bit(slice<63, 42>(word) == 0);
}

}  // namespace systole::kernels
