#include "host/nn/layers/activation.h"

#include <fmt/format.h>

#include <numbers>

namespace systole::nn {

Value log_softmax(Value x) {
  const std::int64_t last = x.type().rank() - 1;
  const auto along = [&](Value v) { return repeat(v, x.shape(), {last}); };
  const Value shifted = x - along(x.graph().detach(max(x, {last})));
  return shifted - along(log(sum(exponential(shifted), {last})));
}

Value softmax(Value x, std::int64_t dimension) {
  const auto along = [&](Value v) { return repeat(v, x.shape(), {dimension}); };
  const Value shares = exponential(x - along(x.graph().detach(max(x, {dimension}))));
  return shares / along(sum(shares, {dimension}));
}

Value gelu(Value x) { return x * (0.5 * erf(x * (std::numbers::sqrt2 / 2)) + 0.5); }

std::string description_with(std::string_view kind, const Function& activation) {
  return activation == Function::kLinear ? std::string(kind)
                                         : fmt::format("{}({})", kind, activation.name);
}

std::string Activation::description() const { return fmt::format("{}({})", kind(), function.name); }

}  // namespace systole::nn
