#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "host/vector/program.h"

namespace systole::vector {

/// The words of a group: each instruction goes through all of them before the next one.
inline constexpr int kSlots = 8;

/// Runs micro-programs on the processor's vector unit, with the engine's bits.
///
/// Shapes   a word is `lanes` elements of 32 bits; registers survive from one run to the next
/// Limits   lanes is a power of two; x86 with AVX2 and FMA
/// Numbers  docs/numerics.md section 8, in every bit
/// Errors   std::runtime_error without AVX2 and FMA; std::out_of_range where an input ends early
class Interpreter {
 public:
  explicit Interpreter(int lanes);

  /// Whole words; outputs grow. The engine starts `element` at that of the run's first word.
  struct Streams {
    std::array<std::span<const std::uint32_t>, 4> in;
    std::array<std::vector<std::uint32_t>, 4> out;
  };
  struct Run {
    std::uint32_t words = 0;
    std::uint32_t words_a_row = 0xffff'ffff;
    std::uint32_t first_element = 0;
  };
  void run(const Program& program, const Run& run, Streams& streams);

 private:
  using Words = std::vector<std::uint32_t>;

  const std::uint32_t* source(int operand, std::uint8_t place, const Run& run,
                              std::uint32_t first_word);
  void load(const Program& program);

  std::uint32_t lanes_;
  std::uint32_t block_;  ///< elements of a group
  Words registers_, constants_, fixed_, exchanged_, result_, position_;
  std::vector<std::uint32_t> loaded_;
  std::array<std::size_t, 4> taken_{};
  const std::uint32_t* stream_ = nullptr;
};

}  // namespace systole::vector
