#include "host/nn/layers/attention.h"

#include <algorithm>
#include <limits>

#include "host/graph/functions.h"

namespace systole::nn {

BahdanauAttention::BahdanauAttention(const Options& options, Generator& generator)
    : units_(options.units),
      value_size_(options.value_size),
      query_({.name = options.name + "/query",
              .inputs = options.query_size,
              .units = options.units,
              .has_bias = false},
             generator),
      key_({.name = options.name + "/key", .inputs = options.value_size, .units = options.units},
           generator),
      score_(
          {.name = options.name + "/score", .inputs = options.units, .units = 1, .has_bias = false},
          generator) {}

void BahdanauAttention::start(Multiplier& multiplier, std::int64_t queries, std::int64_t rows,
                              std::span<const float> values, std::span<const std::uint8_t> live) {
  rows_ = rows;
  values_ = values;
  live_ = live;
  const auto units = static_cast<std::size_t>(units_);
  keys_.resize(live.size() * units);
  key_.forward(multiplier, values, keys_);
  queried_.resize(static_cast<std::size_t>(rows) * units);
  scores_.resize(live.size());
  tanh_.resize(offset(queries) * units);
  weights_.resize(offset(queries));
  d_queried_.resize(static_cast<std::size_t>(queries * rows) * units);
  d_scores_.resize(offset(queries));
  d_keys_.assign(keys_.size(), 0.0f);
  d_values_.assign(values.size(), 0.0f);
}

// softmax over the words of each sentence that are there.
void BahdanauAttention::weigh(std::span<const float> scores, std::span<float> weights) const {
  const auto rows = static_cast<std::size_t>(rows_);
  for (std::size_t row = 0; row < rows; ++row) {
    float largest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = row; i < scores.size(); i += rows) {
      if (live_[i] != 0) largest = std::max(largest, scores[i]);
    }
    float sum = 0;
    for (std::size_t i = row; i < scores.size(); i += rows) {
      weights[i] = live_[i] != 0 ? graph::exponential(scores[i] - largest) : 0.0f;
      sum += weights[i];
    }
    for (std::size_t i = row; i < scores.size(); i += rows) weights[i] /= sum;
  }
}

void BahdanauAttention::step(Multiplier& multiplier, std::int64_t t, std::span<const float> query,
                             std::span<float> context) {
  query_.forward(multiplier, query, queried_);
  const auto tanh_of_step =
      std::span(tanh_).subspan(offset(t) * static_cast<std::size_t>(units_), keys_.size());
  for (std::size_t i = 0; i < live_.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i) % rows_;
    const float* q = queried_.data() + row * units_;
    const float* k = keys_.data() + static_cast<std::int64_t>(i) * units_;
    float* e = tanh_of_step.data() + static_cast<std::int64_t>(i) * units_;
    for (std::int64_t a = 0; a < units_; ++a) e[a] = graph::hyperbolic_tangent(q[a] + k[a]);
  }
  score_.forward(multiplier, tanh_of_step, scores_);
  const auto weights = std::span(weights_).subspan(offset(t), live_.size());
  weigh(scores_, weights);
  std::ranges::fill(context, 0.0f);
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (live_[i] == 0) continue;
    const auto row = static_cast<std::int64_t>(i) % rows_;
    const float* value = values_.data() + static_cast<std::int64_t>(i) * value_size_;
    float* sum = context.data() + row * value_size_;
    for (std::int64_t v = 0; v < value_size_; ++v) sum[v] += weights[i] * value[v];
  }
}

std::span<const float> BahdanauAttention::weights(std::int64_t t) const {
  return std::span(weights_).subspan(offset(t), live_.size());
}

void BahdanauAttention::step_back(Multiplier& multiplier, std::int64_t t,
                                  std::span<const float> d_context, std::span<float> d_query) {
  const auto w = weights(t);
  const auto d_scores = std::span(d_scores_).subspan(offset(t), live_.size());
  // Through the weighted sum: d_scores holds the weights' gradient for now.
  std::vector<float> mean(static_cast<std::size_t>(rows_), 0.0f);
  for (std::size_t i = 0; i < live_.size(); ++i) {
    d_scores[i] = 0;
    if (live_[i] == 0) continue;
    const auto row = static_cast<std::int64_t>(i) % rows_;
    const float* value = values_.data() + static_cast<std::int64_t>(i) * value_size_;
    const float* d_c = d_context.data() + row * value_size_;
    float* d_value = d_values_.data() + static_cast<std::int64_t>(i) * value_size_;
    float sum = 0;
    for (std::int64_t v = 0; v < value_size_; ++v) sum += d_c[v] * value[v];
    for (std::int64_t v = 0; v < value_size_; ++v) d_value[v] += w[i] * d_c[v];
    d_scores[i] = sum;
    mean[static_cast<std::size_t>(row)] += w[i] * sum;
  }
  // Through the softmax, v and the tanh.
  const std::size_t queried_size = queried_.size();
  const auto d_queried =
      std::span(d_queried_).subspan(static_cast<std::size_t>(t) * queried_size, queried_size);
  std::ranges::fill(d_queried, 0.0f);
  const float* v = score_.parameters()[0].value.data();
  const float* tanh_of_step = tanh_.data() + offset(t) * static_cast<std::size_t>(units_);
  for (std::size_t i = 0; i < live_.size(); ++i) {
    if (live_[i] == 0) continue;
    const auto row = static_cast<std::int64_t>(i) % rows_;
    d_scores[i] = w[i] * (d_scores[i] - mean[static_cast<std::size_t>(row)]);
    const float d_score = d_scores[i];
    const float* e = tanh_of_step + static_cast<std::int64_t>(i) * units_;
    float* d_key = d_keys_.data() + static_cast<std::int64_t>(i) * units_;
    float* d_q = d_queried.data() + row * units_;
    for (std::int64_t a = 0; a < units_; ++a) {
      const float d_inside = d_score * v[a] * (1.0f - e[a] * e[a]);
      d_key[a] += d_inside;
      d_q[a] += d_inside;
    }
  }
  query_.backward(multiplier, d_queried, d_query);
}

void BahdanauAttention::find_gradients(Multiplier& multiplier, std::span<const float> queries,
                                       std::span<float> d_values) {
  query_.find_gradients(multiplier, queries, d_queried_);
  key_.find_gradients(multiplier, values_, d_keys_);
  score_.find_gradients(multiplier, tanh_, d_scores_);
  d_values_by_key_.resize(d_values_.size());
  key_.backward(multiplier, d_keys_, d_values_by_key_);
  for (std::size_t i = 0; i < d_values.size(); ++i) {
    d_values[i] = d_values_[i] + d_values_by_key_[i];
  }
}

std::vector<Parameter*> BahdanauAttention::parameters() {
  std::vector<Parameter*> all;
  for (Projection* part : {&query_, &key_, &score_}) {
    for (Parameter& parameter : part->parameters()) all.push_back(&parameter);
  }
  return all;
}

}  // namespace systole::nn
