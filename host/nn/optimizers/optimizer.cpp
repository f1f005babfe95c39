#include "host/nn/optimizers/optimizer.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace systole::nn {
namespace {

template <typename... Arguments>
void need(bool holds, fmt::format_string<Arguments...> words, Arguments&&... arguments) {
  if (!holds)
    throw std::invalid_argument(fmt::format(words, std::forward<Arguments>(arguments)...));
}

void check_rate(float learning_rate) {
  need(learning_rate > 0 && std::isfinite(learning_rate), "learning rate {} is not > 0",
       learning_rate);
}

void check_decay(float weight_decay) {
  need(weight_decay >= 0 && std::isfinite(weight_decay), "weight decay {} is not >= 0",
       weight_decay);
}

Value decayed(const Update& update, float weight_decay) {
  const Value w = update.value;
  return weight_decay == 0 ? w : w - update.learning_rate * weight_decay * w;
}

}  // namespace

void Sgd::check() const {
  check_rate(learning_rate);
  need(momentum >= 0 && momentum < 1, "momentum {} is not in 0..1", momentum);
  need(!nesterov || momentum > 0, "nesterov needs a momentum above 0");
  check_decay(weight_decay);
}

std::string Sgd::describe() const {
  std::string text = fmt::format("sgd, learning rate {}, momentum {}", learning_rate, momentum);
  if (nesterov) text += ", nesterov";
  if (weight_decay != 0) text += fmt::format(", weight decay {}", weight_decay);
  return text;
}

Value Sgd::operator()(const Update& update) const {
  const Value w = decayed(update, weight_decay);
  const Value step = update.learning_rate * update.gradient;
  if (momentum == 0) return w - step;
  const Value old = update.slot();
  const Value velocity = old * momentum - step;
  update.keep(old, velocity);
  return w + (nesterov ? velocity * momentum - step : velocity);
}

void Adam::check() const {
  check_rate(learning_rate);
  need(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1,
       "Adam: beta1 {} and beta2 {} must be in 0..1", beta1, beta2);
  need(epsilon > 0, "Adam: epsilon {} is not > 0", epsilon);
  check_decay(weight_decay);
}

std::string Adam::describe() const {
  const Adam usual;
  std::string text = fmt::format("adam, learning rate {}", learning_rate);
  if (beta1 != usual.beta1) text += fmt::format(", beta1 {}", beta1);
  if (beta2 != usual.beta2) text += fmt::format(", beta2 {}", beta2);
  if (epsilon != usual.epsilon) text += fmt::format(", epsilon {}", epsilon);
  if (weight_decay != 0) text += fmt::format(", weight decay {}", weight_decay);
  if (weight_decay != 0 && !decays_vectors) text += " of matrices";
  return text;
}

Value Adam::operator()(const Update& update) const {
  // Both averages from one scaled gradient: the device then multiplies it once and squares it once.
  const float scale = std::sqrt(1.0f - beta2);
  const Value g = update.gradient * scale;
  const Value old_m = update.slot(), old_v = update.slot();
  const Value m = old_m * beta1 + g * ((1.0f - beta1) / scale);
  const Value v = old_v * beta2 + g * g;
  update.keep(old_m, m);
  update.keep(old_v, v);
  // 1 - beta^step without cancellation.
  const auto rest = [&](double beta) {
    return -exponential_minus_one(update.step * std::log(beta));
  };
  const Value one = constant_like(update.step, 1);
  const Value rest1 = beta1 == 0 ? one : rest(beta1), rest2 = beta2 == 0 ? one : rest(beta2);
  const Value rate = update.learning_rate * sqrt(rest2) / rest1;
  const bool decays = decays_vectors || !update.is_vector();
  return decayed(update, decays ? weight_decay : 0) - rate * m / (sqrt(v) + epsilon);
}

void OwnOptimizer::check() const { check_rate(learning_rate); }

std::string OwnOptimizer::describe() const {
  return fmt::format("{}, learning rate {}", name, learning_rate);
}

std::string describe(const Optimizer& optimizer) {
  return std::visit([](const auto& one) { return one.describe(); }, optimizer);
}

}  // namespace systole::nn
