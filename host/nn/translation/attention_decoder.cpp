#include "host/nn/translation/attention_decoder.h"

#include <algorithm>

namespace systole::nn {
namespace {

std::size_t count_of(std::int64_t rows, std::int64_t row_size) {
  return static_cast<std::size_t>(rows * row_size);
}

template <typename T>
std::span<T> part(std::span<T> all, std::int64_t t, std::size_t size) {
  return all.subspan(static_cast<std::size_t>(t) * size, size);
}

void add(std::span<float> sum, std::span<const float> values) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

}  // namespace

AttentionDecoder::AttentionDecoder(const Options& options, Generator& generator)
    : units_(options.units),
      embedding_("decoder/embedding", options.words, options.embedding_size, generator),
      attention_({.name = "decoder/attention",
                  .query_size = options.units,
                  .value_size = options.units,
                  .units = options.units},
                 generator),
      kernel_({.name = "decoder/gru", .inputs = options.embedding_size, .units = 3 * options.units},
              generator),
      context_kernel_({.name = "decoder/gru/context",
                       .inputs = options.units,
                       .units = 3 * options.units,
                       .has_bias = false},
                      generator),
      cell_("decoder/gru", options.units, generator),
      output_({.name = "decoder/output", .inputs = options.units, .units = options.words},
              generator) {}

std::span<float> AttentionDecoder::state(std::int64_t t) {
  return part(std::span(states_), t, count_of(rows_, units_));
}

std::span<float> AttentionDecoder::context(std::int64_t t) {
  return part(std::span(contexts_), t, count_of(rows_, units_));
}

void AttentionDecoder::start(Multiplier& multiplier, const Encoded& encoded,
                             std::int64_t most_steps) {
  rows_ = encoded.rows;
  states_.resize(count_of((most_steps + 1) * rows_, units_));
  contexts_.resize(count_of(most_steps * rows_, units_));
  context_part_.resize(count_of(rows_, 3 * units_));
  attention_.start(multiplier, most_steps, rows_, encoded.values, encoded.live);
  cell_.start(most_steps, rows_);
  std::ranges::copy(encoded.last, state(0).begin());
}

// Step t, from the embeddings' part of the GRU's input, to which the context's is added.
void AttentionDecoder::advance(Multiplier& multiplier, std::int64_t t, std::span<float> projected,
                               std::span<const std::uint8_t> live) {
  attention_.step(multiplier, t, state(t), context(t));
  context_kernel_.forward(multiplier, context(t), context_part_);
  add(projected, context_part_);
  cell_.step(multiplier, t, projected, live, state(t), state(t + 1));
}

void AttentionDecoder::forward(Multiplier& multiplier, const Encoded& encoded,
                               std::span<const std::int32_t> input,
                               std::span<const std::uint8_t> live, Tensor& logits) {
  const std::int64_t steps = std::ssize(input) / encoded.rows;
  start(multiplier, encoded, steps);
  embedded_.resize(count_of(std::ssize(input), embedding_.units()));
  embedding_.forward(input, embedded_);
  projected_.resize(count_of(std::ssize(input), 3 * units_));
  kernel_.forward(multiplier, embedded_, projected_);
  for (std::int64_t t = 0; t < steps; ++t) {
    advance(multiplier, t, part(std::span(projected_), t, context_part_.size()),
            part(live, t, static_cast<std::size_t>(rows_)));
  }
  logits.resize(steps * rows_, output_.units());
  output_.forward(multiplier, std::span(states_).subspan(state(0).size()), logits.values);
}

void AttentionDecoder::write(Multiplier& multiplier, std::int64_t t,
                             std::span<const std::int32_t> words, Tensor& logits) {
  embedded_.resize(count_of(rows_, embedding_.units()));
  embedding_.forward(words, embedded_);
  projected_.resize(context_part_.size());
  kernel_.forward(multiplier, embedded_, projected_);
  const std::vector<std::uint8_t> live(words.size(), 1);
  advance(multiplier, t, projected_, live);
  logits.resize(rows_, output_.units());
  output_.forward(multiplier, state(t + 1), logits.values);
}

void AttentionDecoder::backward(Multiplier& multiplier, std::span<const std::int32_t> input,
                                std::span<const std::uint8_t> live, const Tensor& d_logits,
                                std::span<float> d_values, std::span<float> d_last) {
  const std::int64_t steps = std::ssize(input) / rows_;
  const std::size_t step_size = state(0).size();
  const std::span<const float> after = std::span(states_).subspan(step_size);
  const std::span<const float> before = std::span(states_).first(after.size());

  std::vector<float> d_states(after.size());
  output_.find_gradients(multiplier, after, d_logits.values);
  output_.backward(multiplier, d_logits.values, d_states);

  std::vector<float> d_context(step_size), d_query(step_size);
  std::ranges::fill(d_last, 0.0f);
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    add(d_last, part(std::span<const float>(d_states), t, step_size));
    cell_.step_back(multiplier, t, part(live, t, static_cast<std::size_t>(rows_)), state(t),
                    d_last);
    context_kernel_.backward(multiplier, cell_.d_projected(t), d_context);
    attention_.step_back(multiplier, t, d_context, d_query);
    add(d_last, d_query);
  }

  const std::span<const float> d_projected = cell_.d_projected();
  cell_.find_gradients(multiplier, before);
  attention_.find_gradients(multiplier, before, d_values);
  context_kernel_.find_gradients(multiplier, contexts_, d_projected);
  kernel_.find_gradients(multiplier, embedded_, d_projected);
  std::vector<float> d_embedded(embedded_.size());
  kernel_.backward(multiplier, d_projected, d_embedded);
  embedding_.backward(input, d_embedded);
}

std::vector<Parameter*> AttentionDecoder::parameters() {
  std::vector<Parameter*> all;
  const auto append = [&](std::span<Parameter> some) {
    for (Parameter& parameter : some) all.push_back(&parameter);
  };
  append(embedding_.parameters());
  for (Parameter* parameter : attention_.parameters()) all.push_back(parameter);
  append(kernel_.parameters());
  append(context_kernel_.parameters());
  append(cell_.parameters());
  append(output_.parameters());
  return all;
}

}  // namespace systole::nn
