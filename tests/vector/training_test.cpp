// Pieces of a training step as micro-programs, against host/graph's arithmetic.

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "host/graph/philox.h"
#include "host/vector/functions.h"
#include "sim/device/vector_interpreter.h"
#include "tests/support/random.h"
#include "tests/vector/training_programs.h"

namespace systole::tests {
namespace {

using vector::Interpreter;
using Words = std::vector<std::uint32_t>;

constexpr std::uint64_t kSeed = 0x5eed'0053;
constexpr int kLanes = 16;
constexpr std::uint32_t kWords = 25;
constexpr std::size_t kElements = std::size_t{kWords} * kLanes;

float number(std::uint32_t bits) { return std::bit_cast<float>(bits); }

Words random_floats(Random& random, float least, float most) {
  Words words(kElements);
  for (std::uint32_t& word : words) {
    const float share = static_cast<float>(random.below(1 << 24)) * 0x1p-24f;
    word = std::bit_cast<std::uint32_t>(least + (most - least) * share);
  }
  return words;
}

std::array<Words, 4> run(const vector::Program& program, const std::vector<Words>& inputs) {
  Interpreter interpreter(kLanes);
  Interpreter::Streams streams;
  for (std::size_t i = 0; i < inputs.size(); ++i) streams.in[i] = inputs[i];
  interpreter.run(program, {.words = kWords}, streams);
  return streams.out;
}

TEST_CASE("adam's micro-program updates as nn::Adam's formula does", "[vector]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  const Words g = random_floats(random, -1, 1), m = random_floats(random, -1, 1);
  Words v = random_floats(random, 0, 1), w = random_floats(random, -2, 2);
  v[3] = 0;
  const vector::AdamFactors factors{
      .rate = 0.01f, .one_less_beta1 = 0.1f, .one_less_beta2 = 0.001f, .epsilon = 1e-7f};
  const auto out = run(vector::adam(factors), {g, m, v, w});
  // Few roundings, each at most half an ulp of the largest term; and the reciprocal's error.
  constexpr double kTolerance = 0x1p-22, kInverse = 0x1p-18;
  for (std::size_t i = 0; i < kElements; ++i) {
    const double gradient = number(g[i]), old_m = number(m[i]), old_v = number(v[i]);
    const double new_m = old_m + (gradient - old_m) * factors.one_less_beta1;
    const double new_v = old_v + (gradient * gradient - old_v) * factors.one_less_beta2;
    const double step = factors.rate * new_m / (std::sqrt(new_v) + factors.epsilon);
    CHECK(std::abs(number(out[0][i]) - new_m) <= kTolerance);
    CHECK(std::abs(number(out[1][i]) - new_v) <=
          kTolerance * (new_v + gradient * gradient * 0.001));
    CHECK(std::abs(number(out[2][i]) - (number(w[i]) - step)) <=
          kTolerance * std::abs(number(w[i])) + kInverse * std::abs(step));
    CHECK(std::abs(number(out[3][i] << 16) - number(out[2][i])) <=
          0x1p-8 * std::abs(number(out[2][i])));
  }
}

TEST_CASE("the reciprocal of a root and a constant is within 2^-18", "[vector]") {
  vector::Assembler program;
  const vector::Value x_word = program.read(0), c_word = program.read(1);
  program.send(0, vector::reciprocal_of_root(program, x_word, c_word));
  const vector::Program inverse = program.finish();
  Words x(kElements), c(kElements);
  // All significands of two octaves, in steps, with roots far above and far below c.
  const float addend = GENERATE(0x1p-60f, 1e-7f, 0.5f, 3.0f);
  double worst = 0;
  for (std::uint32_t start = 0x3f80'0000; start < 0x4080'0000; start += 101 * kElements) {
    for (std::uint32_t i = 0; i < kElements; ++i) {
      x[i] = start + 101 * i;
      c[i] = std::bit_cast<std::uint32_t>(addend);
    }
    const Words out = run(inverse, {x, c})[0];
    for (std::size_t i = 0; i < kElements; ++i) {
      const double exact = 1 / (std::sqrt(double{number(x[i])}) + double{addend});
      worst = std::max(worst, std::abs(number(out[i]) / exact - 1));
    }
  }
  CHECK(worst <= 0x1p-18);
  CHECK(worst >= 0x1p-24);
}

TEST_CASE("momentum's micro-program updates as nn::Sgd's formula does", "[vector]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  const Words g = random_floats(random, -1, 1), velocity = random_floats(random, -1, 1),
              w = random_floats(random, -2, 2);
  const auto out = run(vector::momentum(0.05f, 0.9f), {g, velocity, w});
  for (std::size_t i = 0; i < kElements; ++i) {
    const float step = 0.05f * number(g[i]);
    CHECK(number(out[0][i]) == std::fma(0.9f, number(velocity[i]), -step));
    CHECK(number(out[1][i]) == number(w[i]) + number(out[0][i]));
  }
}

TEST_CASE("relu and its gradient are those of the graph", "[vector]") {
  Random random(kSeed);
  Words x = random_floats(random, -1, 1);
  const Words dy = random_floats(random, -1, 1);
  x[5] = 0;
  const auto forward = run(vector::relu(), {x});
  const auto backward = run(vector::relu_gradient(), {dy, x});
  for (std::size_t i = 0; i < kElements; ++i) {
    CHECK(number(forward[0][i]) == std::max(number(x[i]), 0.0f));
    CHECK(backward[0][i] == (number(x[i]) > 0 ? dy[i] : 0));
  }
}

TEST_CASE("softmax's gradient is that of cross entropy, row by row", "[vector]") {
  INFO("seed " << kSeed);
  Random random(kSeed);
  const Words x = random_floats(random, -8, 8);
  Words target(kElements, 0);
  for (std::size_t row = 0; row < kWords; ++row) {
    target[row * kLanes + random.below(kLanes)] = std::bit_cast<std::uint32_t>(1.0f);
  }
  constexpr float kFactor = 0.125f;
  const auto out = run(vector::softmax_gradient(kLanes, kFactor), {x, target});
  for (std::size_t row = 0; row < kWords; ++row) {
    double sum = 0;
    for (int n = 0; n < kLanes; ++n) sum += std::exp(double{number(x[row * kLanes + n])});
    for (int n = 0; n < kLanes; ++n) {
      const std::size_t i = row * kLanes + n;
      const double expected = (std::exp(double{number(x[i])}) / sum - number(target[i])) * kFactor;
      CHECK(std::abs(number(out[0][i]) - expected) <= 0x1p-20 * kFactor);
    }
  }
}

TEST_CASE("random words are those of the graph's rng_bit_generator", "[vector]") {
  const auto out = run(vector::random_words(0x1234'5678, 0x9abc'def0), {});
  for (std::uint32_t i = 0; i < kElements; ++i) {
    CHECK(out[0][i] == graph::random_block({0x1234'5678, 0x9abc'def0, 0, 0}, i / 4)[i % 4]);
  }
}

TEST_CASE("the pieces of a step take the instructions that docs/vector.md says", "[vector]") {
  CHECK(vector::relu().code.size() == 1);
  CHECK(vector::relu_gradient().code.size() == 2);
  CHECK(vector::momentum(0.1f, 0.9f).code.size() == 4);
  CHECK(vector::adam({}).code.size() == 18);
  CHECK(vector::softmax_gradient(16, 1.0f).code.size() == 32);
  CHECK(vector::random_words(1, 2).code.size() == 63);
}

}  // namespace
}  // namespace systole::tests
