#include "hls/compiler/verilog/index_formula.h"

#include <algorithm>
#include <cstdlib>

namespace systole::compiler::sv {
namespace {

Expression times(Expression one, std::int64_t factor) {
  return factor == 1 ? one : binary(std::move(one), "*", plain_number(factor));
}

Expression plus(Expression one, std::int64_t number) {
  if (number == 0) return one;
  return binary(std::move(one), number < 0 ? "-" : "+", plain_number(std::abs(number)));
}

/// `i*factor + rest`
Expression linear(const Expression& counter, std::int64_t factor, std::int64_t rest) {
  if (factor == 0) return plain_number(rest);
  if (factor > 0) return plus(times(counter, factor), rest);
  return binary(plain_number(rest), "-", times(counter, -factor));
}

}  // namespace

std::optional<Expression> index_formula(const std::vector<std::int64_t>& values,
                                        const std::string& counter, std::int64_t start) {
  const auto count = static_cast<std::int64_t>(values.size());
  const auto all = [&](const auto& function) {
    for (std::int64_t k = 0; k < count; ++k) {
      if (values[k] != function(start + k)) return false;
    }
    return true;
  };
  if (count < 2) return std::nullopt;
  const std::int64_t step = values[1] - values[0];
  const std::int64_t rest = values[0] - step * start;
  if (all([&](std::int64_t i) { return i * step + rest; })) return linear(counter, step, rest);

  const std::int64_t mask = values[0] ^ start;
  if (count >= 4 && all([&](std::int64_t i) { return i ^ mask; })) {
    return binary(counter, "^", plain_number(mask));
  }

  if (count < 5) return std::nullopt;
  // Twice the value is bend*i*i + tilt*i + twice_rest.
  const std::int64_t bend = values[2] - 2 * values[1] + values[0];
  const std::int64_t tilt = 2 * step - bend - 2 * bend * start;
  const std::int64_t twice_rest = 2 * values[0] - bend * start * start - tilt * start;
  const auto inner = [&](std::int64_t i) { return i * bend + tilt; };
  const bool fits = bend != 0 && twice_rest % 2 == 0 &&
                    all([&](std::int64_t i) { return (i * inner(i) + twice_rest) / 2; });
  // The counter is unsigned: nothing below 0 may be halved.
  const bool is_positive = fits && inner(start) >= 0 && inner(start + count - 1) >= 0;
  if (!is_positive) return std::nullopt;
  return plus(binary(binary(counter, "*", linear(counter, bend, tilt)), "/", plain_number(2)),
              twice_rest / 2);
}

}  // namespace systole::compiler::sv
