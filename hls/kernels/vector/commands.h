#pragma once

#include "hls/kernels/vector/operands.h"
#include "hls/kernels/vector/stream.h"
#include "hls/kernels/vector/unit.h"

namespace systole::kernels {

/// The vector engine's commands, as docs/vector.md has them: opcode, wait, signal and address lie
/// where every command has them.
inline constexpr int kOpcodeVectorProgram = 64;
inline constexpr int kOpcodeVectorStream = 65;
inline constexpr int kOpcodeVectorRun = 66;

/// Brings instructions of 64 bits or constants of 32 from memory, where they lie side by side.
struct VectorProgramCommand {
  Address address;
  UInt<6> place;  ///< of the first
  UInt1 constants;
  UInt<7> count;
};
inline VectorProgramCommand decode_vector_program(const CommandWord& word) {
  return {.address = slice<55, 16>(word),
          .place = slice<61, 56>(word),
          .constants = slice<62, 62>(word),
          .count = slice<70, 64>(word)};
}
inline UInt1 is_legal_vector_program(const CommandWord& word) {
  const VectorProgramCommand program = decode_vector_program(word);
  const UInt<8> end = program.place + program.count;
  const UInt<8> places =
      program.constants ? UInt<8>(kVectorConstants) : UInt<8>(kVectorInstructions);
  return as_bit(signal_of(word) == 0) & as_bit(slice<15, 14>(word) == 0) &
         as_bit(slice<63, 63>(word) == 0) & as_bit(slice<127, 71>(word) == 0) &
         as_bit(!(program.count == 0)) & as_bit(end <= places);
}

/// Sets the tensor of an input or output stream of the unit, which starts at once.
struct VectorStreamCommand {
  VectorStream stream;
  UInt<2> number;
  UInt1 writes;
};
inline VectorStreamCommand decode_vector_stream(const Command& command) {
  const CommandWord& word = command.word;
  return {.stream = {.address = slice<55, 16>(word),
                     .row_stride = slice<87, 56>(word),
                     .rows = slice<103, 88>(word),
                     .cols = slice<119, 104>(word),
                     .format = slice<124, 123>(word),
                     .broadcasts = slice<125, 125>(word),
                     .command = command.index},
          .number = slice<121, 120>(word),
          .writes = slice<122, 122>(word)};
}
inline UInt1 is_legal_vector_stream(const CommandWord& word) {
  const UInt1 writes = slice<122, 122>(word);
  const UInt1 is_half = as_bit(slice<124, 123>(word) == kStreamHalf);
  const UInt1 broadcasts = slice<125, 125>(word);
  const UInt1 reads_legally = as_bit(signal_of(word) == 0) & ~is_half;
  return (writes ? ~broadcasts : reads_legally) & as_bit(slice<15, 14>(word) == 0) &
         as_bit(slice<127, 126>(word) == 0) & as_bit(!(slice<103, 88>(word) == 0)) &
         as_bit(!(slice<119, 104>(word) == 0));
}

/// Runs instructions `first` to `last` on `words` words.
struct VectorRunCommand {
  UInt<6> first;
  UInt<6> last;
  UInt16 words;
  UInt32 first_word;   ///< the run's, in its tensor
  UInt32 words_a_row;  ///< for the places of elements in their rows
};
inline VectorRunCommand decode_vector_run(const CommandWord& word) {
  return {.first = slice<21, 16>(word),
          .last = slice<29, 24>(word),
          .words = slice<47, 32>(word),
          .first_word = slice<95, 64>(word),
          .words_a_row = slice<127, 96>(word)};
}
/// `loaded` has a bit for each instruction that is there.
inline UInt1 is_legal_vector_run(const CommandWord& word, const UInt<64>& loaded) {
  const VectorRunCommand run = decode_vector_run(word);
  const UInt<64> all = ~UInt<64>(0);
  const UInt<64> needed = (all << run.first) & (all >> ~run.last);
  return as_bit(signal_of(word) == 0) & as_bit(slice<15, 14>(word) == 0) &
         as_bit(slice<23, 22>(word) == 0) & as_bit(slice<31, 30>(word) == 0) &
         as_bit(slice<63, 48>(word) == 0) & as_bit(!(run.words == 0)) &
         as_bit(!(run.words_a_row == 0)) & as_bit(run.first <= run.last) &
         as_bit((needed & ~loaded) == 0);
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
  const bool slots_stand = !takes_word(code) && code.out == 0 && !writes_b;
  return as_bit(code.operation <= UInt<5>(kVectorOperations - 1)) & as_bit(code.mode <= last_mode) &
         as_bit(code.out <= UInt<3>(4)) &
         as_bit(is_lane_exchange || (is_slot_exchange && slots_stand)) &
         as_bit(slice<63, 42>(word) == 0);
}

}  // namespace systole::kernels
