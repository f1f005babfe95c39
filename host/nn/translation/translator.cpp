#include "host/nn/translation/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {
namespace {

void need_range(std::span<const std::int32_t> numbers, std::int64_t words, const char* side) {
  for (const std::int32_t number : numbers) {
    if (number < 0 || number >= words) {
      throw std::invalid_argument(
          fmt::format("word {} is outside the {} vocabulary of {}", number, side, words));
    }
  }
}

Value words_input(graph::Graph& graph, std::string_view name, const Shape& shape) {
  return graph.input(name, {graph::Element::kS32, shape});
}

template <typename T>
CompiledTraining::Input input(const char* name, const std::vector<T>& values) {
  return {name, values.data(), std::ssize(values)};
}

struct Judged {
  Value loss, accuracy;
};

// Teacher forcing: the previous word is the reference's, whatever was predicted.
Judged write_batch(Builder& builder, const EncoderDecoder& network, const BatchShape& batch) {
  graph::Graph& graph = builder.graph();
  const Value source = words_input(graph, "source", {batch.source_steps, batch.rows});
  const Value input = words_input(graph, "input", {batch.target_steps, batch.rows});
  const Value label = words_input(graph, "label", {batch.target_steps, batch.rows});
  const Value logits =
      network.write(builder, network.encode(builder, source), input, where_words(label)).logits;
  const graph::Graph::Scope scope(graph, "loss");
  return {.loss = MaskedCrossEntropy{.padding = Vocabulary::kPadding}(logits, label),
          .accuracy = accuracy(logits, label, Vocabulary::kPadding)};
}

}  // namespace

struct Translator::Model {
  EncoderDecoder network;
  Adam optimizer;
  float clip_norm = 0;
  std::deque<Parameter> parameters = {};

  std::vector<Parameter*> all() {
    std::vector<Parameter*> all;
    for (Parameter& parameter : parameters) all.push_back(&parameter);
    return all;
  }

  TrainingGraph write_training(const BatchShape& shape) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters, true);
    const auto [loss, accuracy] = write_batch(builder, network, shape);
    return finish_step(std::move(graph), builder, loss, accuracy, optimizer, clip_norm);
  }

  TrainingGraph write_gradients(const BatchShape& shape) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters, true);
    const auto [loss, accuracy] = write_batch(builder, network, shape);
    return finish_gradients(std::move(graph), builder, loss, accuracy);
  }

  TrainingGraph write_evaluation(const BatchShape& shape) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters, false);
    const auto [loss, accuracy] = write_batch(builder, network, shape);
    return finish_evaluation(std::move(graph), builder, loss, accuracy);
  }

  TrainingGraph write_encoder(const BatchShape& shape) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters, false);
    const Encoded encoded =
        network.encode(builder, words_input(*graph, "source", {shape.source_steps, shape.rows}));
    const Value keys = network.keys(builder, encoded.values);
    return finish_prediction(std::move(graph), builder,
                             {{"values", encoded.values}, {"keys", keys}, {"state", encoded.last}});
  }

  // One word of each sentence.
  TrainingGraph write_decoder(const BatchShape& shape) {
    auto graph = std::make_unique<graph::Graph>();
    Builder builder(*graph, parameters, false);
    const auto input = [&](std::string_view name, const Shape& sizes) {
      return graph->input(name, {graph::Element::kF32, sizes});
    };
    const Shape words{shape.source_steps, shape.rows},
        all{shape.source_steps, shape.rows, network.units};
    const Encoded encoded{.values = input("values", all),
                          .keys = input("keys", all),
                          .live = where_words(words_input(*graph, "source", words)),
                          .last = input("state", {shape.rows, network.units})};
    const Written written =
        network.write(builder, encoded, words_input(*graph, "word", {1, shape.rows}));
    return finish_prediction(std::move(graph), builder,
                             {{"logits", written.logits}, {"next", written.state}});
  }
};

Translator::Translator(const TranslatorOptions& options)
    : options_(options), precision_(options.precision.value_or(default_precision(options.device))) {
  options.optimizer.check();
  check(options.schedule);
  if (!(options.clip_norm > 0)) {
    throw std::invalid_argument(fmt::format("clip_norm {} is not > 0", options.clip_norm));
  }
  if (options.units < 1) {
    throw std::invalid_argument(fmt::format("units is {}, not >= 1", options.units));
  }
  model_ = std::make_unique<Model>(Model{.network = {.source_words = options.source_words,
                                                     .target_words = options.target_words,
                                                     .embedding_size = options.embedding_size,
                                                     .units = options.units,
                                                     .seed = options.seed},
                                         .optimizer = options.optimizer,
                                         .clip_norm = options.clip_norm});
  graph::Graph graph;
  Builder builder(graph, model_->parameters, false);
  write_batch(builder, model_->network, {.rows = 1, .source_steps = 1, .target_steps = 1});
  training_ = compiled(&Model::write_training, options.steps_per_execution);
  gradients_ = compiled(&Model::write_gradients);
  evaluation_ = compiled(&Model::write_evaluation);
  encoder_ = compiled(&Model::write_encoder);
  decoder_ = compiled(&Model::write_decoder);
}

Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;

std::unique_ptr<CompiledTraining> Translator::compiled(
    TrainingGraph (Model::*write)(const BatchShape& shape), std::int64_t steps) const {
  Model& model = *model_;
  return std::make_unique<CompiledTraining>(
      options_.device,
      CompiledTraining::Options{.write =
                                    [&model, write](const Shape& batch) {
                                      return (model.*write)({batch[0], batch[1], batch[2]});
                                    },
                                .parameters = model.all(),
                                .precision = precision_,
                                .steps = steps,
                                .seed = options_.seed});
}

void Translator::need_words(const TokenBatch& batch) const {
  need_range(batch.source, options_.source_words, "source");
  need_range(batch.input, options_.target_words, "target");
  need_range(batch.label, options_.target_words, "target");
}

void Translator::add(CompiledTraining& steps, const TokenBatch& batch, std::int64_t update) {
  need_words(batch);
  const Shape shape{batch.rows, batch.source_steps, batch.target_steps};
  const CompiledTraining::Input inputs[] = {
      input("source", batch.source), input("input", batch.input), input("label", batch.label)};
  const float rate = scheduled(options_.optimizer.learning_rate, options_.schedule, update - 1);
  steps.need_program(shape);
  steps.add(steps.prepare(shape, inputs, {.rate = rate, .update = update}));
}

std::vector<Score> Translator::run_steps() {
  const std::vector<Score> scores = training_->run();
  infeed_bytes_ += std::ssize(scores) * training_->fed_bytes();
  return scores;
}

WordScore Translator::run(CompiledTraining& steps, const TokenBatch& batch) {
  training_->read_back();
  const std::int64_t words = count_words(batch);
  add(steps, batch, updates_ + 1);
  const Score score = steps.run().front();
  return {.loss = score.loss, .accuracy = score.accuracy, .words = words};
}

WordScore Translator::compute_gradients(const TokenBatch& batch) {
  const WordScore score = run(*gradients_, batch);
  gradients_->read_back();
  return score;
}

WordScore Translator::train_batch(const TokenBatch& batch) {
  const std::int64_t words = count_words(batch);
  add_step(batch);
  const Score score = run_steps().front();
  return {.loss = score.loss, .accuracy = score.accuracy, .words = words};
}

WordScore Translator::evaluate(std::span<const TokenPair> pairs, const EvaluateOptions& options) {
  if (pairs.empty()) throw std::invalid_argument("there are no sentence pairs");
  if (options.batch_size < 1) {
    throw std::invalid_argument(fmt::format("batch_size is {}, not >= 1", options.batch_size));
  }
  const TokenBatches batches(pairs, options.batch_size);
  const BatchShape shape = widest_batch(pairs, options.batch_size);
  WordScore total;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const WordScore score = run(*evaluation_, batches.take(i, shape));
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
  training_->read_back();
  // All batches have one shape.
  BatchShape widest{.rows = std::max(kLeastRows, std::min(batch_size, std::ssize(sources)))};
  for (const auto& source : sources) {
    if (source.empty()) throw std::invalid_argument("an empty sentence cannot be translated");
    widest.source_steps = std::max(widest.source_steps, std::ssize(source));
  }
  const Shape shape{widest.rows, widest.source_steps, 1};
  const auto sized = [](std::int64_t size) { return std::vector<float>(size); };
  std::vector<float> values = sized(size_of(shape) * options_.units), keys = values,
                     state = sized(widest.rows * options_.units),
                     logits = sized(widest.rows * options_.target_words);
  if (!sources.empty()) {
    encoder_->need_program(shape);
    decoder_->need_program(shape);
  }
  std::vector<std::vector<std::int32_t>> translations;
  while (translations.size() < sources.size()) {
    const std::size_t first = translations.size();
    const auto rows = std::min(static_cast<std::size_t>(batch_size), sources.size() - first);
    const TokenBatch batch = pad_sources(sources.subspan(first, rows), widest);
    need_words(batch);
    const CompiledTraining::Input source = input("source", batch.source);
    encoder_->add(encoder_->prepare(shape, {&source, 1}, {}));
    encoder_->run();
    encoder_->read_output("values", values);
    encoder_->read_output("keys", keys);
    encoder_->read_output("state", state);
    translations.resize(first + rows);
    std::vector<std::int32_t> words(static_cast<std::size_t>(widest.rows), Vocabulary::kStart);
    std::size_t writing = rows;
    for (std::int64_t t = 0; t < most_words && writing > 0; ++t) {
      const CompiledTraining::Input inputs[] = {source, input("values", values),
                                                input("keys", keys), input("state", state),
                                                input("word", words)};
      decoder_->add(decoder_->prepare(shape, inputs, {}));
      decoder_->run();
      decoder_->read_output("logits", logits);
      decoder_->read_output("next", state);
      for (std::size_t r = 0; r < rows; ++r) {
        if (t > 0 && words[r] == Vocabulary::kEnd) continue;
        const auto size = static_cast<std::size_t>(options_.target_words);
        const auto choices = std::span(logits).subspan(r * size, size).subspan(Vocabulary::kEnd);
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

std::vector<const CompiledTraining*> Translator::all() const {
  return {training_.get(), gradients_.get(), evaluation_.get(), encoder_.get(), decoder_.get()};
}

double Translator::device_wall_seconds() const { return device_seconds(all()); }

Counters Translator::processor_products() const { return nn::processor_products(all()); }

std::vector<Parameter*> Translator::parameters() {
  training_->read_back();
  return model_->all();
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
