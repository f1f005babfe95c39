#include "tests/vector/training_programs.h"

#include <bit>
#include <cmath>

#include "host/vector/functions.h"

namespace systole::vector {

using Op = VectorOperation;

Program adam(const AdamFactors& factors) {
  Assembler program;
  const float scale = std::sqrt(factors.one_less_beta2);
  const Value g = program.multiply(program.take(0), program.constant(scale));
  const Value new_m = program.multiply(g, program.constant(factors.one_less_beta1 / scale));
  const Value beta1 = program.constant(1 - factors.one_less_beta1);
  const Value m = program.fma(program.take(1), beta1, new_m);
  program.send(0, m);
  const Value square = program.multiply(g, g);
  const Value beta2 = program.constant(1 - factors.one_less_beta2);
  const Value v = program.fma(program.take(2), beta2, square);
  program.send(1, v);
  const Value inverse = reciprocal_of_root(program, v, program.constant(factors.epsilon));
  const Value step = program.multiply(m, program.constant(factors.rate));
  const Value w = program.fma(-step, inverse, program.take(3));
  program.send(2, w);
  program.send(3, program.make(Op::kToBf16, w));
  return program.finish();
}

Program momentum(float rate, float momentum) {
  Assembler program;
  const Value step = program.multiply(program.take(0), program.constant(rate));
  const Value velocity = program.fma(program.take(1), program.constant(momentum), -step);
  program.send(0, velocity);
  const Value w = program.add(program.take(2), velocity);
  program.send(1, w);
  program.send(2, program.make(Op::kToBf16, w));
  return program.finish();
}

Program relu() {
  Assembler program;
  program.send(0, program.maximum(program.take(0), Assembler::kZero));
  return program.finish();
}

Program relu_gradient() {
  Assembler program;
  const Value is_open = program.compare(VectorPredicate::kLess, Assembler::kZero, program.take(1));
  program.send(0, program.select(is_open, program.take(0), Assembler::kZero));
  return program.finish();
}

Program softmax_gradient(int lanes, float factor) {
  Assembler program;
  const int steps = std::countr_zero(static_cast<unsigned>(lanes));
  const Value x = program.read(0);
  Value largest = x;
  for (int k = 0; k < steps; ++k) {
    largest = program.exchange_lanes(Op::kMaximum, largest, largest, k);
  }
  const Value power = exponential(program, program.subtract(x, largest));
  Value sum = power;
  for (int k = 0; k < steps; ++k) sum = program.exchange_lanes(Op::kFma, sum, sum, k);
  const Value share = program.multiply(power, quick_reciprocal(program, sum));
  const Value error = program.subtract(share, program.take(1));
  program.send(0, program.multiply(error, program.constant(factor)));
  return program.finish();
}

Program random_words(std::uint32_t key0, std::uint32_t key1) {
  Assembler program;
  const Value factor0 = program.constant(0xd2511f53u), factor1 = program.constant(0xcd9e8d57u);
  const Value low_bit = Assembler::kUnit, two = program.constant(2u);
  Value words[4] = {program.make(Op::kShiftRight, Assembler::kElement, two), Assembler::kZero,
                    Assembler::kZero, Assembler::kZero};
  for (std::uint32_t round = 0; round < 10; ++round) {
    const Value keys[] = {program.constant(key0 + round * 0x9e3779b9u),
                          program.constant(key1 + round * 0xbb67ae85u)};
    const Value high = program.make(Op::kMultiplyHigh, factor0, words[0], words[3]);
    const Value low = program.multiply_add(factor0, words[0], Assembler::kZero);
    if (round == 0) {  // the counter's upper words are zeros
      words[0] = keys[0];
    } else {
      const Value second = program.make(Op::kMultiplyHigh, factor1, words[2], words[1]);
      words[1] = program.multiply_add(factor1, words[2], Assembler::kZero);
      words[0] = program.bits_xor(second, keys[0]);
    }
    words[2] = program.bits_xor(high, keys[1]);
    words[3] = low;
  }
  const Value odd = program.bits_and(Assembler::kElement, low_bit);
  const Value first = program.select(odd, words[1], words[0]);
  const Value second = program.select(odd, words[3], words[2]);
  const Value is_upper = program.bits_and(Assembler::kElement, two);
  program.send(0, program.select(is_upper, second, first));
  return program.finish();
}

}  // namespace systole::vector
