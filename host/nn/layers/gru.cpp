#include "host/nn/layers/gru.h"

#include <algorithm>

#include "host/graph/functions.h"

namespace systole::nn {
namespace {

std::size_t size_of_rows(std::int64_t rows, std::int64_t row_size) {
  return static_cast<std::size_t>(rows * row_size);
}

template <typename T>
std::span<T> step_of(std::span<T> all, std::int64_t t, std::size_t step_size) {
  return all.subspan(static_cast<std::size_t>(t) * step_size, step_size);
}

}  // namespace

GruCell::GruCell(const std::string& name, std::int64_t units, Generator& generator)
    : units_(units),
      recurrent_({.name = name + "/recurrent", .inputs = units, .units = 3 * units}, generator) {}

void GruCell::start(std::int64_t steps, std::int64_t rows) {
  rows_ = rows;
  recurrent_part_.resize(size_of_rows(rows, 3 * units_));
  gates_.resize(size_of_rows(steps * rows, 4 * units_));
  d_projected_.resize(size_of_rows(steps * rows, 3 * units_));
  d_recurrent_.resize(size_of_rows(steps * rows, 3 * units_));
  d_before_.resize(size_of_rows(rows, units_));
}

void GruCell::step(Multiplier& multiplier, std::int64_t t, std::span<const float> projected,
                   std::span<const std::uint8_t> live, std::span<const float> before,
                   std::span<float> after) {
  recurrent_.forward(multiplier, before, recurrent_part_);
  const std::int64_t n = units_;
  for (std::int64_t row = 0; row < rows_; ++row) {
    const float* p = projected.data() + row * 3 * n;
    const float* u = recurrent_part_.data() + row * 3 * n;
    const float* h = before.data() + row * n;
    float* h_after = after.data() + row * n;
    float* z = gates_.data() + (t * rows_ + row) * 4 * n;
    float* r = z + n;
    float* g = r + n;
    float* u_g = g + n;
    if (live[static_cast<std::size_t>(row)] == 0) {
      std::copy_n(h, n, h_after);
      continue;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      z[i] = graph::logistic(p[i] + u[i]);
      r[i] = graph::logistic(p[n + i] + u[n + i]);
      u_g[i] = u[2 * n + i];
      g[i] = graph::hyperbolic_tangent(p[2 * n + i] + r[i] * u_g[i]);
      h_after[i] = z[i] * h[i] + (1.0f - z[i]) * g[i];
    }
  }
}

void GruCell::step_back(Multiplier& multiplier, std::int64_t t, std::span<const std::uint8_t> live,
                        std::span<const float> before, std::span<float> d_state) {
  const std::int64_t n = units_;
  for (std::int64_t row = 0; row < rows_; ++row) {
    const std::int64_t r_all = t * rows_ + row;
    float* d_p = d_projected_.data() + r_all * 3 * n;
    float* d_u = d_recurrent_.data() + r_all * 3 * n;
    float* d_h = d_state.data() + row * n;
    if (live[static_cast<std::size_t>(row)] == 0) {
      std::fill_n(d_p, 3 * n, 0.0f);
      std::fill_n(d_u, 3 * n, 0.0f);
      continue;
    }
    const float* z = gates_.data() + r_all * 4 * n;
    const float* r = z + n;
    const float* g = r + n;
    const float* u_g = g + n;
    const float* h = before.data() + row * n;
    for (std::int64_t i = 0; i < n; ++i) {
      const float d_g = d_h[i] * (1.0f - z[i]) * (1.0f - g[i] * g[i]);
      d_p[i] = d_h[i] * (h[i] - g[i]) * z[i] * (1.0f - z[i]);
      d_p[n + i] = d_g * u_g[i] * r[i] * (1.0f - r[i]);
      d_p[2 * n + i] = d_g;
      d_u[i] = d_p[i];
      d_u[n + i] = d_p[n + i];
      d_u[2 * n + i] = d_g * r[i];
      d_h[i] *= z[i];
    }
  }
  const std::span<const float> d_u =
      step_of(std::span<const float>(d_recurrent_), t, size_of_rows(rows_, 3 * n));
  recurrent_.backward(multiplier, d_u, d_before_);
  for (std::size_t i = 0; i < d_state.size(); ++i) d_state[i] += d_before_[i];
}

void GruCell::find_gradients(Multiplier& multiplier, std::span<const float> before) {
  recurrent_.find_gradients(multiplier, before, d_recurrent_);
}

std::span<const float> GruCell::d_projected(std::int64_t t) const {
  return step_of(std::span(d_projected_), t, size_of_rows(rows_, 3 * units_));
}

Gru::Gru(const std::string& name, std::int64_t inputs, std::int64_t units, Generator& generator)
    : kernel_({.name = name, .inputs = inputs, .units = 3 * units}, generator),
      cell_(name, units, generator) {}

void Gru::forward(Multiplier& multiplier, std::int64_t rows, std::span<const float> x,
                  std::span<const std::uint8_t> live) {
  rows_ = rows;
  const std::int64_t steps = std::ssize(live) / rows;
  const std::size_t step_size = size_of_rows(rows, cell_.units());
  projected_.resize(steps * rows, kernel_.units());
  kernel_.forward(multiplier, x, projected_.values);
  states_.resize((steps + 1) * rows, cell_.units());
  const std::span states(states_.values);
  std::ranges::fill(states.first(step_size), 0.0f);
  cell_.start(steps, rows);
  for (std::int64_t t = 0; t < steps; ++t) {
    cell_.step(multiplier, t, step_of(std::span<const float>(projected_.values), t, 3 * step_size),
               step_of(live, t, static_cast<std::size_t>(rows)), step_of(states, t, step_size),
               step_of(states, t + 1, step_size));
  }
}

void Gru::backward(Multiplier& multiplier, std::span<const float> x,
                   std::span<const std::uint8_t> live, std::span<const float> d_states,
                   std::span<float> d_x) {
  const std::int64_t steps = std::ssize(live) / rows_;
  const std::size_t step_size = size_of_rows(rows_, cell_.units());
  const std::span<const float> states(states_.values);
  std::vector<float> d_state(step_size, 0.0f);
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    const auto d_after = step_of(d_states, t, step_size);
    for (std::size_t i = 0; i < step_size; ++i) d_state[i] += d_after[i];
    cell_.step_back(multiplier, t, step_of(live, t, static_cast<std::size_t>(rows_)),
                    step_of(states, t, step_size), d_state);
  }
  cell_.find_gradients(multiplier, states.first(d_states.size()));
  kernel_.find_gradients(multiplier, x, cell_.d_projected());
  kernel_.backward(multiplier, cell_.d_projected(), d_x);
}

std::vector<Parameter*> Gru::parameters() {
  std::vector<Parameter*> all;
  for (Parameter& parameter : kernel_.parameters()) all.push_back(&parameter);
  for (Parameter& parameter : cell_.parameters()) all.push_back(&parameter);
  return all;
}

}  // namespace systole::nn
