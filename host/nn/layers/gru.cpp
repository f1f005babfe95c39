#include "host/nn/layers/gru.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/layers/initializer.h"

namespace systole::nn {

GruCell::GruCell(Builder& builder, std::int64_t units)
    : units_(units),
      kernel_(dense_weight(builder, "recurrent/kernel", units, 3 * units)),
      bias_(builder.weight("recurrent/bias", {3 * units}, constantly(0))) {}

Value GruCell::operator()(Value projected, Value state, Value live) const {
  const auto gate = [&](Value v, std::int64_t i) {
    return take(v, 1, i * units_, (i + 1) * units_);
  };
  const Value back = state ? matmul(state, kernel_) + bias_ : repeat(bias_, projected.shape(), {0});
  const Value z = logistic(gate(projected, 0) + gate(back, 0));
  const Value r = logistic(gate(projected, 1) + gate(back, 1));
  const Value g = tanh(gate(projected, 2) + r * gate(back, 2));
  const Value next = state ? z * state + (1 - z) * g : (1 - z) * g;
  if (!live) return next;
  return select(repeat(live, next.shape(), {1}), next, state ? state : constant_like(next, 0));
}

Value gru_states(Builder& builder, Value x, std::int64_t units, Value live) {
  const Value kernel = dense_weight(builder, "kernel", x.dimension(2), 3 * units);
  const Value projected = matmul(x, kernel) + builder.weight("bias", {3 * units}, constantly(0));
  const GruCell cell(builder, units);
  std::vector<Value> states;
  Value state;
  for (std::int64_t t = 0; t < x.dimension(0); ++t) {
    state = cell(take(projected, 0, t), state, live ? take(live, 0, t) : live);
    states.push_back(reshape(state, {1, x.dimension(1), units}));
  }
  return concatenate(states, 0);
}

Value Gru::operator()(Builder& builder, Value x) const {
  if (units < 1) throw std::invalid_argument(fmt::format("GRU: units is {}, not >= 1", units));
  if (x.type().rank() != 3 || x.dimension(1) < 1) {
    throw std::invalid_argument(
        fmt::format("GRU: a sample is {}, not [steps, inputs]", to_string(sample_shape(x))));
  }
  const Value states = gru_states(builder, transpose(x, {1, 0, 2}), units);
  return return_sequences ? transpose(states, {1, 0, 2}) : take(states, 0, x.dimension(1) - 1);
}

}  // namespace systole::nn
