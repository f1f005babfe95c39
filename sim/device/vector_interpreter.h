#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/vector/program.h"
#include "sim/device/vector_operations.h"

namespace systole::vector {

/// The words of a group: each instruction goes through all of them before the next one.
inline constexpr int kSlots = 8;

struct Flow;

/// Runs micro-programs on the processor's vector unit, with the engine's bits.
///
/// Groups go through the instructions one by one where a group reads registers that the one before
/// wrote, as sums do; otherwise some thousand elements at a time.
///
/// Shapes   a word is `lanes` elements of 32 bits; registers survive from one run to the next
/// Limits   lanes is a power of two; x86 with AVX2 and FMA
/// Numbers  docs/numerics.md section 8, in every bit
/// Errors   std::runtime_error without AVX2 and FMA; std::out_of_range where an input ends early
class Interpreter {
 public:
  explicit Interpreter(int lanes,
                       const Operations::Set& operations = *vector::operations().begin());

  /// Whole words.
  struct Streams {
    std::array<std::span<const std::uint32_t>, 4> in;
    std::array<std::vector<std::uint32_t>, 4> out;  ///< grow
  };
  /// The same, with places for all words that are sent. One may be the place of an input that is
  /// taken by the instruction that sends to it, or earlier in the program.
  struct Places {
    std::array<std::span<const std::uint32_t>, 4> in;
    std::array<std::span<std::uint32_t>, 4> out;
  };
  /// The engine starts `element` at that of the run's first word.
  struct Run {
    std::uint32_t words = 0;
    std::uint32_t words_a_row = 0xffff'ffff;
    std::uint32_t first_element = 0;
    std::uint32_t first_word = 0;  ///< of a part of a run: words that went before; of whole groups
  };
  void run(const Program& program, const Run& run, Streams& streams);
  void run(const Program& program, const Run& run, const Places& places);

  /// Takes over the registers of another interpreter of as many lanes.
  void copy_registers(const Interpreter& other);

 private:
  using Words = std::vector<std::uint32_t>;

  Operand source(int operand, std::uint8_t place, const Run& run, std::uint32_t word,
                 std::size_t count);
  void load(const Program& program);
  void spread_registers(const Program& program);
  void find_in_place(const Program& program, const Flow& flow, const Places& places);
  void keep_last_group(const Program& program, std::size_t groups);
  void execute_group(const Program& program, const Run& run, std::uint32_t word, std::size_t count,
                     const Places& places, bool is_last);
  std::uint32_t* own(std::uint8_t place) { return &registers_[std::size_t{place} * block_]; }

  Execute execute_;
  std::uint32_t lanes_;
  std::uint32_t group_;      ///< elements of a group
  std::uint32_t block_;      ///< elements that go through an instruction at once: whole groups
  Words registers_;          ///< of `block_` elements; between runs the first group's count
  Words constants_, fixed_;  ///< each kSame times
  Words exchanged_, result_, position_;
  std::vector<std::uint32_t> loaded_;
  std::vector<bool> in_place_;  ///< by instruction: whether its value is read where a stream has it
  /// Where a register's elements are, if not in registers_.
  std::array<const std::uint32_t*, kernels::kVectorRegisters> lies_{};
  std::array<std::size_t, 4> taken_{}, sent_{};
};

/// Words that a program takes and sends for each word of its run, and the places in its code of the
/// last instruction that takes one and of the first that sends one, by stream.
struct Flow {
  explicit Flow(const Program& program);
  std::array<std::size_t, 4> in{}, out{}, last_taken{}, first_sent{};
};

/// Whether groups of words are independent of each other: none reads a register that the program
/// writes in an earlier one, and each stream has one instruction.
bool has_independent_groups(const Program& program);

}  // namespace systole::vector
