#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace systole::nn {

/// How the learning rate changes from step to step: a schedule gives the factor of the optimizer's
/// own rate at update `step`, 0 for the first. It depends on the step alone, so a resumed run
/// continues with the same rates.
///
/// Numbers  fp64
/// Errors   check throws std::invalid_argument naming the option
struct ConstantRate {
  double factor(std::int64_t) const { return 1; }
  void check() const {}
};

/// rate ^ (step / steps), with the quotient rounded down if staircase.
/// Limits   0 < rate <= 1, steps >= 1
struct ExponentialDecay {
  double rate = 0.96;
  std::int64_t steps = 1000;
  bool staircase = false;

  double factor(std::int64_t step) const;
  void check() const;
};

/// From 1 to `floor` along half a cosine of `steps`, then floor; before that a linear warmup, step
/// t at (t + 1) / warmup. Limits   steps >= 1, 0 <= floor <= 1, warmup >= 0 Source   Loshchilov and
/// Hutter, ICLR 2017, without restarts
struct CosineDecay {
  std::int64_t steps = 10'000;
  double floor = 0;
  std::int64_t warmup = 0;

  double factor(std::int64_t step) const;
  void check() const;
};

/// 1 before boundaries[0], then factors[i] from boundaries[i] on.
/// Limits   as many factors as boundaries, at least one; boundaries ascend from >= 1, factors >= 0
struct PiecewiseConstant {
  std::vector<std::int64_t> boundaries;
  std::vector<double> factors;

  double factor(std::int64_t step) const;
  void check() const;
};

using Schedule = std::variant<ConstantRate, ExponentialDecay, CosineDecay, PiecewiseConstant>;

double factor(const Schedule& schedule, std::int64_t step);

/// The rate of this update, as an optimizer takes it.
float scheduled(float rate, const Schedule& schedule, std::int64_t step);
void check(const Schedule& schedule);

/// The forms that parse_schedule takes: "constant", "exponential:RATE:STEPS[:staircase]",
/// "cosine:STEPS[:FLOOR[:WARMUP]]", "piecewise:STEP=FACTOR,STEP=FACTOR".
std::string schedule_forms();

/// A checked schedule from a word of the command line.
///
/// Errors   std::invalid_argument quoting the word and the known forms
Schedule parse_schedule(std::string_view word);

/// The word that parses to this schedule: equal words mean equal rates.
std::string describe(const Schedule& schedule);

}  // namespace systole::nn
