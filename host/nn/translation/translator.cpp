#include "host/nn/translation/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "host/graph/cpu/flush_subnormals.h"

namespace systole::nn {
namespace {

std::vector<std::uint8_t> where_words(std::span<const std::int32_t> numbers) {
  std::vector<std::uint8_t> live(numbers.size());
  std::ranges::transform(numbers, live.begin(), [](std::int32_t number) {
    return static_cast<std::uint8_t>(number != Vocabulary::kPadding);
  });
  return live;
}

void need_range(std::span<const std::int32_t> numbers, std::int64_t words, const char* side) {
  for (const std::int32_t number : numbers) {
    if (number < 0 || number >= words) {
      throw std::invalid_argument(
          fmt::format("word {} is outside the {} vocabulary of {}", number, side, words));
    }
  }
}

}  // namespace

Translator::Translator(const TranslatorOptions& options) : options_(options) {
  options.optimizer.check();
  check(options.schedule);
  if (!(options.clip_norm > 0)) {
    throw std::invalid_argument(fmt::format("clip_norm {} is not > 0", options.clip_norm));
  }
  const bool on_cpu = options.device.info().name == "cpu";
  multiplier_ = std::make_unique<Multiplier>(
      options.device, options.precision.value_or(on_cpu ? DataType::kFp32 : DataType::kBf16),
      options.seed);
  Generator encoder_generator(options.seed, 0), decoder_generator(options.seed, 1);
  embedding_ = std::make_unique<Embedding>("encoder/embedding", options.source_words,
                                           options.embedding_size, encoder_generator);
  encoder_ = std::make_unique<Gru>("encoder/gru", options.embedding_size, options.units,
                                   encoder_generator);
  decoder_ = std::make_unique<AttentionDecoder>(
      AttentionDecoder::Options{.words = options.target_words,
                                .embedding_size = options.embedding_size,
                                .units = options.units},
      decoder_generator);
}

void Translator::need_words(const TokenBatch& batch) const {
  need_range(batch.source, options_.source_words, "source");
  need_range(batch.input, options_.target_words, "target");
  need_range(batch.label, options_.target_words, "target");
}

Encoded Translator::encode(const TokenBatch& batch) {
  source_live_ = where_words(batch.source);
  embedded_.resize(batch.source.size() * static_cast<std::size_t>(options_.embedding_size));
  embedding_->forward(batch.source, embedded_);
  encoder_->forward(*multiplier_, batch.rows, embedded_, source_live_);
  const std::span<const float> states(encoder_->states().values);
  const auto step_size = static_cast<std::size_t>(batch.rows * options_.units);
  return {.rows = batch.rows,
          .values = states.subspan(step_size),
          .live = source_live_,
          .last = states.last(step_size)};
}

WordScore Translator::forward(const TokenBatch& batch, Tensor* d_logits) {
  need_words(batch);
  const Encoded encoded = encode(batch);
  target_live_ = where_words(batch.label);
  decoder_->forward(*multiplier_, encoded, batch.input, target_live_, logits_);
  return MaskedCrossEntropy{.padding = Vocabulary::kPadding}.evaluate(logits_, batch.label,
                                                                      d_logits);
}

WordScore Translator::compute_gradients(const TokenBatch& batch) {
  const graph::FlushSubnormals flush;
  multiplier_->start_step(updates_);
  const WordScore score = forward(batch, &d_logits_);
  const auto step_size = static_cast<std::size_t>(batch.rows * options_.units);
  const auto steps = static_cast<std::size_t>(batch.source_steps);
  std::vector<float> d_values(steps * step_size), d_last(step_size);
  decoder_->backward(*multiplier_, batch.input, target_live_, d_logits_, d_values, d_last);
  // The encoder's last state is its value after the last step, and the decoder's first.
  const auto d_final = std::span(d_values).last(step_size);
  for (std::size_t i = 0; i < step_size; ++i) d_final[i] += d_last[i];
  std::vector<float> d_embedded(embedded_.size());
  encoder_->backward(*multiplier_, embedded_, source_live_, d_values, d_embedded);
  embedding_->backward(batch.source, d_embedded);
  return score;
}

WordScore Translator::train_batch(const TokenBatch& batch) {
  const WordScore score = compute_gradients(batch);
  const float rate = scheduled(options_.optimizer.learning_rate, options_.schedule, updates_);
  updates_of_.run(parameters(), options_.optimizer, options_.clip_norm, rate, ++updates_,
                  multiplier_->device().info().threads);
  return score;
}

WordScore Translator::evaluate(std::span<const TokenPair> pairs, const EvaluateOptions& options) {
  if (pairs.empty()) throw std::invalid_argument("there are no sentence pairs");
  if (options.batch_size < 1) {
    throw std::invalid_argument(fmt::format("batch_size is {}, not >= 1", options.batch_size));
  }
  const TokenBatches batches(pairs, options.batch_size);
  const graph::FlushSubnormals flush;
  WordScore total;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const WordScore score = forward(batches.take(i), nullptr);
    const auto words = static_cast<double>(score.words);
    total.loss += score.loss * words;
    total.accuracy += score.accuracy * words;
    total.words += score.words;
  }
  const auto words = static_cast<double>(total.words);
  return {.loss = total.loss / words,
          .accuracy = std::round(total.accuracy) / words,
          .words = total.words};
}

std::vector<std::vector<std::int32_t>> Translator::translate(
    std::span<const std::vector<std::int32_t>> sources, std::int64_t most_words,
    std::int64_t batch_size) {
  if (most_words < 1 || batch_size < 1) {
    throw std::invalid_argument(
        fmt::format("most_words {} and batch_size {} must be >= 1", most_words, batch_size));
  }
  const graph::FlushSubnormals flush;
  std::vector<std::vector<std::int32_t>> translations;
  while (translations.size() < sources.size()) {
    const std::size_t first = translations.size();
    const auto rows = std::min(static_cast<std::size_t>(batch_size), sources.size() - first);
    const TokenBatch batch = pad_sources(sources.subspan(first, rows));
    need_words(batch);
    decoder_->start(*multiplier_, encode(batch), most_words);
    translations.resize(first + rows);
    std::vector<std::int32_t> words(rows, Vocabulary::kStart);
    std::size_t writing = rows;
    for (std::int64_t t = 0; t < most_words && writing > 0; ++t) {
      decoder_->write(*multiplier_, t, words, logits_);
      for (std::size_t r = 0; r < rows; ++r) {
        if (t > 0 && words[r] == Vocabulary::kEnd) continue;
        const auto choices =
            std::span(logits_.row(static_cast<std::int64_t>(r))).subspan(Vocabulary::kEnd);
        words[r] = static_cast<std::int32_t>(std::ranges::max_element(choices) - choices.begin()) +
                   Vocabulary::kEnd;
        if (words[r] == Vocabulary::kEnd) {
          --writing;
        } else {
          translations[first + r].push_back(words[r]);
        }
      }
    }
  }
  return translations;
}

std::vector<Parameter*> Translator::parameters() {
  std::vector<Parameter*> all;
  for (Parameter& parameter : embedding_->parameters()) all.push_back(&parameter);
  for (Parameter* parameter : encoder_->parameters()) all.push_back(parameter);
  for (Parameter* parameter : decoder_->parameters()) all.push_back(parameter);
  return all;
}

std::vector<NamedParameter> Translator::named_parameters() {
  std::vector<NamedParameter> all;
  for (Parameter* parameter : parameters()) all.push_back({parameter->name, parameter});
  return all;
}

std::string Translator::summary() {
  std::string table =
      fmt::format("{:<34}{:<16}{:>12}\n{:-<62}\n", "parameter", "shape", "values", "");
  std::size_t total = 0;
  for (const Parameter* parameter : parameters()) {
    table += fmt::format("{:<34}{:<16}{:>12}\n", parameter->name, to_string(parameter->shape),
                         parameter->value.size());
    total += parameter->value.size();
  }
  return table + fmt::format("{:-<62}\n{:<50}{:>12}\n", "", "total", total);
}

}  // namespace systole::nn
