#include "host/nn/optimizers/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace systole::nn {
namespace {

void need(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(fmt::format("learning rate schedule: {}", what));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename Number>
Number parse(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size()) {
    throw std::invalid_argument(fmt::format("'{}' is not a number", word));
  }
  return number;
}

constexpr std::string_view kStaircase = "staircase";

Schedule parse_parts(const std::vector<std::string_view>& parts) {
  const std::string_view name = parts[0];
  if (name == "constant" && parts.size() == 1) return ConstantRate{};
  const bool staircase = parts.size() == 4 && parts[3] == kStaircase;
  if (name == "exponential" && (parts.size() == 3 || staircase)) {
    return ExponentialDecay{.rate = parse<double>(parts[1]),
                            .steps = parse<std::int64_t>(parts[2]),
                            .staircase = staircase};
  }
  if (name == "cosine" && parts.size() >= 2 && parts.size() <= 4) {
    return CosineDecay{.steps = parse<std::int64_t>(parts[1]),
                       .floor = parts.size() >= 3 ? parse<double>(parts[2]) : 0.0,
                       .warmup = parts.size() >= 4 ? parse<std::int64_t>(parts[3]) : 0};
  }
  if (name == "piecewise" && parts.size() == 2) {
    PiecewiseConstant schedule;
    for (const std::string_view step : split(parts[1], ',')) {
      const auto sides = split(step, '=');
      need(sides.size() == 2, "a step of piecewise is STEP=FACTOR");
      schedule.boundaries.push_back(parse<std::int64_t>(sides[0]));
      schedule.factors.push_back(parse<double>(sides[1]));
    }
    return schedule;
  }
  throw std::invalid_argument("unknown form");
}

std::string word_for(const ConstantRate&) { return "constant"; }

std::string word_for(const ExponentialDecay& decay) {
  const std::string word = fmt::format("exponential:{}:{}", decay.rate, decay.steps);
  return decay.staircase ? fmt::format("{}:{}", word, kStaircase) : word;
}

std::string word_for(const CosineDecay& decay) {
  const std::string word = fmt::format("cosine:{}:{}", decay.steps, decay.floor);
  return decay.warmup > 0 ? fmt::format("{}:{}", word, decay.warmup) : word;
}

std::string word_for(const PiecewiseConstant& pieces) {
  std::string word = "piecewise:";
  for (std::size_t i = 0; i < pieces.boundaries.size(); ++i) {
    word += fmt::format("{}{}={}", i == 0 ? "" : ",", pieces.boundaries[i], pieces.factors[i]);
  }
  return word;
}

}  // namespace

double ExponentialDecay::factor(std::int64_t step) const {
  const std::int64_t whole = step / steps;
  return std::pow(rate, staircase ? static_cast<double>(whole)
                                  : static_cast<double>(step) / static_cast<double>(steps));
}

void ExponentialDecay::check() const {
  need(rate > 0 && rate <= 1, "the rate of exponential is not in 0..1");
  need(steps >= 1, "the steps of exponential are not >= 1");
}

double CosineDecay::factor(std::int64_t step) const {
  if (step < warmup) return static_cast<double>(step + 1) / static_cast<double>(warmup);
  const double done =
      std::min(1.0, static_cast<double>(step - warmup) / static_cast<double>(steps));
  return floor + (1 - floor) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

void CosineDecay::check() const {
  need(steps >= 1, "the steps of cosine are not >= 1");
  need(floor >= 0 && floor <= 1, "the floor of cosine is not in 0..1");
  need(warmup >= 0, "the warmup of cosine is not >= 0");
}

double PiecewiseConstant::factor(std::int64_t step) const {
  const auto next = std::ranges::upper_bound(boundaries, step);
  const auto passed = next - boundaries.begin();
  return passed == 0 ? 1.0 : factors[passed - 1];
}

void PiecewiseConstant::check() const {
  need(!boundaries.empty() && boundaries.size() == factors.size(),
       "piecewise needs one factor for each step, and at least one");
  need(boundaries[0] >= 1 &&
           std::ranges::adjacent_find(boundaries, std::greater_equal{}) == boundaries.end(),
       "the steps of piecewise do not ascend from >= 1");
  need(std::ranges::all_of(factors, [](double f) { return f >= 0 && std::isfinite(f); }),
       "a factor of piecewise is not >= 0");
}

double factor(const Schedule& schedule, std::int64_t step) {
  return std::visit([&](const auto& one) { return one.factor(step); }, schedule);
}

float scheduled(float rate, const Schedule& schedule, std::int64_t step) {
  return static_cast<float>(rate * factor(schedule, step));
}

void check(const Schedule& schedule) {
  std::visit([](const auto& one) { one.check(); }, schedule);
}

std::string schedule_forms() {
  return "constant, exponential:RATE:STEPS[:staircase], cosine:STEPS[:FLOOR[:WARMUP]], "
         "piecewise:STEP=FACTOR[,STEP=FACTOR...]";
}

Schedule parse_schedule(std::string_view word) {
  try {
    const Schedule schedule = parse_parts(split(word, ':'));
    check(schedule);
    return schedule;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("'{}': {}; choose from {}", word, error.what(), schedule_forms()));
  }
}

std::string describe(const Schedule& schedule) {
  return std::visit([](const auto& one) { return word_for(one); }, schedule);
}

}  // namespace systole::nn
