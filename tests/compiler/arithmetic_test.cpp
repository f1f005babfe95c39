// The gates that both sides of a proof are built from, against plain C++.

#include "hls/compiler/prove/arithmetic.h"

#include <catch2/catch.hpp>
#include <functional>
#include <random>

namespace systole::compiler {
namespace {

using Word = std::uint64_t;

Word mask(unsigned width) { return width >= 64 ? ~Word{0} : (Word{1} << width) - 1; }

std::int64_t as_signed(Word value, unsigned width) {
  const Word sign = Word{1} << (width - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

/// Every pair of operands of a small width, or random ones, by gates and by C++.
void compare(unsigned width,
             const std::function<Bits(Arithmetic&, const Bits&, const Bits&)>& gates,
             const std::function<Word(Word, Word)>& plain) {
  Circuit circuit;
  Arithmetic arithmetic(circuit);
  const Bits a = circuit.inputs(width);
  const Bits b = circuit.inputs(width);
  const Bits result = gates(arithmetic, a, b);
  std::mt19937_64 random(width);
  const bool is_small = width <= 5;
  const Word pairs = is_small ? Word{1} << (2 * width) : 4096;
  for (Word first = 0; first < pairs; first += 64) {
    std::vector<Word> x(64), y(64), inputs(2 * width);
    for (unsigned lane = 0; lane < 64; ++lane) {
      const Word pair = is_small ? first + lane : random();
      x[lane] = (is_small ? pair : random()) & mask(width);
      y[lane] = (is_small   ? pair >> width
                 : lane % 2 ? random()
                            : random() % (width + 2)) &
                mask(width);
      for (unsigned i = 0; i < width; ++i) {
        inputs[i] |= ((x[lane] >> i) & 1) << lane;
        inputs[width + i] |= ((y[lane] >> i) & 1) << lane;
      }
    }
    const std::vector<Word> nodes = circuit.simulate(inputs);
    for (unsigned lane = 0; lane < 64; ++lane) {
      Word value = 0;
      for (std::size_t i = 0; i < result.size(); ++i) {
        value |= ((Circuit::value(result[i], nodes) >> lane) & 1) << i;
      }
      INFO("width " << width << " of " << x[lane] << " and " << y[lane]);
      REQUIRE(value == (plain(x[lane], y[lane]) & mask(static_cast<unsigned>(result.size()))));
    }
  }
}

TEST_CASE("every operation of gates is the one of C++", "[prove]") {
  for (const unsigned width : {1u, 2u, 3u, 4u, 5u, 8u, 13u, 31u, 33u, 64u}) {
    const auto below_width = [width](Word n) { return n < width; };
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.add(a, b); },
        [](Word a, Word b) { return a + b; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.subtract(a, b); },
        [](Word a, Word b) { return a - b; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.multiply(a, b); },
        [](Word a, Word b) { return a * b; });
    compare(
        width, [](auto& gates, auto& a, auto&) { return gates.negate(a); },
        [](Word a, Word) { return Word{0} - a; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.both(a, b); },
        [](Word a, Word b) { return a & b; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.either(a, b); },
        [](Word a, Word b) { return a | b; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.differ(a, b); },
        [](Word a, Word b) { return a ^ b; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return Bits{gates.equal(a, b)}; },
        [](Word a, Word b) { return Word{a == b}; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return Bits{gates.below(a, b)}; },
        [](Word a, Word b) { return Word{a < b}; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return Bits{gates.signed_below(a, b)}; },
        [=](Word a, Word b) { return Word{as_signed(a, width) < as_signed(b, width)}; });
    compare(
        width, [](auto& gates, auto& a, auto&) { return Bits{gates.parity(a)}; },
        [](Word a, Word) { return Word(__builtin_parityll(a)); });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.shift_left(a, b); },
        [=](Word a, Word b) { return below_width(b) ? a << b : 0; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.shift_right(a, b, kFalse); },
        [=](Word a, Word b) { return below_width(b) ? a >> b : 0; });
    compare(
        width, [](auto& gates, auto& a, auto& b) { return gates.shift_right(a, b, a.back()); },
        [=](Word a, Word b) {
          return static_cast<Word>(as_signed(a, width) >> (below_width(b) ? b : width - 1));
        });
    compare(
        width, [](auto& gates, auto& a, auto&) { return gates.count_ones(a); },
        [](Word a, Word) { return Word(__builtin_popcountll(a)); });
    compare(
        width, [](auto& gates, auto& a, auto&) { return gates.leading_zeros(a); },
        [=](Word a, Word) { return a == 0 ? width : Word(__builtin_clzll(a)) - (64 - width); });
  }
}

TEST_CASE("the same operation twice is the same gates", "[prove]") {
  Circuit circuit;
  Arithmetic gates(circuit);
  const Bits a = circuit.inputs(9);
  const Bits b = circuit.inputs(9);
  CHECK(gates.multiply(a, b) == gates.multiply(b, a));
  const std::size_t before = circuit.gate_count();
  CHECK(gates.add(a, b) == gates.add(a, b));
  CHECK(circuit.gate_count() > before);
  CHECK(gates.differ(a, a) == Arithmetic::constant(0, 9));
}

}  // namespace
}  // namespace systole::compiler
