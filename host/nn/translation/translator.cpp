#include "host/nn/translation/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace systole::nn {
namespace {

// Cached programs, one per shape: batches have about this many lengths.
constexpr std::size_t kMostSteps = 32;
constexpr std::size_t kMostWriters = 4;

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

// The encoder's graph for a batch of sentences, and the decoder's for one word of each.
struct Translator::Writer {
  std::vector<float> values, keys, state, logits;
  std::unique_ptr<Program> encoder, decoder;

  Writer(const EncoderDecoder& network, std::deque<Parameter>& parameters, Multiplier& multiplier,
         std::int64_t rows, std::int64_t steps) {
    const Shape words{steps, rows}, all{steps, rows, network.units}, one{rows, network.units};
    values.resize(size_of(all));
    keys.resize(values.size());
    state.resize(size_of(one));
    logits.resize(rows * network.target_words);
    const auto program = [&](const auto& write) {
      graph::Graph graph;
      Builder builder(graph, parameters, false);
      write(graph, builder);
      return std::make_unique<Program>(builder, multiplier);
    };
    encoder = program([&](graph::Graph& graph, Builder& builder) {
      const Encoded encoded = network.encode(builder, words_input(graph, "source", words));
      graph.output("values", encoded.values);
      graph.output("keys", network.keys(builder, encoded.values));
      graph.output("state", encoded.last);
    });
    decoder = program([&](graph::Graph& graph, Builder& builder) {
      const auto states = [&](std::string_view name, const Shape& shape) {
        return graph.input(name, {graph::Element::kF32, shape});
      };
      const Encoded encoded{.values = states("values", all),
                            .keys = states("keys", all),
                            .live = where_words(words_input(graph, "source", words)),
                            .last = states("state", one)};
      const Written written =
          network.write(builder, encoded, words_input(graph, "word", {1, rows}));
      graph.output("logits", written.logits);
      graph.update(encoded.last, "state.next", written.state);
    });
    encoder->write("values", values);
    encoder->write("keys", keys);
    encoder->write("state", state);
    decoder->read("values", values);
    decoder->read("keys", keys);
    decoder->read("state", state);
    decoder->write("state.next", state);
    decoder->write("logits", logits);
  }
};

Translator::Translator(const TranslatorOptions& options)
    : options_(options),
      network_{.source_words = options.source_words,
               .target_words = options.target_words,
               .embedding_size = options.embedding_size,
               .units = options.units,
               .seed = options.seed},
      steps_(kMostSteps),
      scores_(kMostSteps),
      writers_(kMostWriters) {
  options.optimizer.check();
  check(options.schedule);
  if (!(options.clip_norm > 0)) {
    throw std::invalid_argument(fmt::format("clip_norm {} is not > 0", options.clip_norm));
  }
  if (options.units < 1) {
    throw std::invalid_argument(fmt::format("units is {}, not >= 1", options.units));
  }
  const bool on_cpu = options.device.info().name == "cpu";
  multiplier_ = std::make_unique<Multiplier>(
      options.device, options.precision.value_or(on_cpu ? DataType::kFp32 : DataType::kBf16),
      options.seed);
  graph::Graph graph;
  Builder builder(graph, parameters_, false);
  write_batch(builder, network_, {.rows = 1, .source_steps = 1, .target_steps = 1});
}

Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;

void Translator::need_words(const TokenBatch& batch) const {
  need_range(batch.source, options_.source_words, "source");
  need_range(batch.input, options_.target_words, "target");
  need_range(batch.label, options_.target_words, "target");
}

TrainingGraph Translator::write_step(const BatchShape& shape) {
  auto graph = std::make_unique<graph::Graph>();
  Builder builder(*graph, parameters_, true);
  const auto [loss, accuracy] = write_batch(builder, network_, shape);
  return finish_step(std::move(graph), builder, loss, accuracy, options_.optimizer,
                     options_.clip_norm);
}

void Translator::open_whole_steps(const BatchShape& shape) {
  read_back();
  whole_steps_ = std::make_unique<CompiledTraining>(
      options_.device, CompiledTraining::Options{.write =
                                                     [this, shape](std::int64_t rows) {
                                                       return write_step({rows, shape.source_steps,
                                                                          shape.target_steps});
                                                     },
                                                 .parameters = parameters(),
                                                 .precision = multiplier_->precision(),
                                                 .steps = *options_.steps_per_execution,
                                                 .seed = options_.seed});
  whole_steps_->need_program(shape.rows);
}

void Translator::add_whole_step(const TokenBatch& batch) {
  need_words(batch);
  const auto input = [](const char* name, const std::vector<std::int32_t>& words) {
    return CompiledTraining::Input{name, words.data(), std::ssize(words)};
  };
  const CompiledTraining::Input inputs[] = {
      input("source", batch.source), input("input", batch.input), input("label", batch.label)};
  const float rate = scheduled(options_.optimizer.learning_rate, options_.schedule, updates_);
  whole_steps_->add(
      whole_steps_->prepare(batch.rows, inputs, {.update = ++updates_, .rate = rate}));
}

std::vector<Score> Translator::run_whole_steps() {
  const std::vector<Score> scores = whole_steps_->run();
  infeed_bytes_ += std::ssize(scores) * whole_steps_->fed_bytes();
  multiplier_->count({}, whole_steps_->device_seconds());
  return scores;
}

void Translator::read_back() {
  if (whole_steps_) whole_steps_->read_back();
}

WordScore Translator::run(const TokenBatch& batch, bool training) {
  need_words(batch);
  read_back();
  const std::int64_t words = count_words(batch);
  RecentlyUsed<Step>& steps = training ? steps_ : scores_;
  Step& step = steps.get({batch.rows, batch.source_steps, batch.target_steps}, [&] {
    graph::Graph graph;
    Builder builder(graph, parameters_, training);
    const auto [loss, accuracy] =
        write_batch(builder, network_, {batch.rows, batch.source_steps, batch.target_steps});
    return std::make_unique<Step>(builder, loss, accuracy, *multiplier_);
  });
  step.read("source", batch.source.data());
  step.read("input", batch.input.data());
  step.read("label", batch.label.data());
  const Score score = step.run(updates_);
  return {.loss = score.loss, .accuracy = score.accuracy, .words = words};
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
  WordScore total;
  for (std::int64_t i = 0; i < batches.count(); ++i) {
    const WordScore score = run(batches.take(i), false);
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
  read_back();
  std::vector<std::vector<std::int32_t>> translations;
  while (translations.size() < sources.size()) {
    const std::size_t first = translations.size();
    const auto rows = std::min(static_cast<std::size_t>(batch_size), sources.size() - first);
    const TokenBatch batch = pad_sources(sources.subspan(first, rows));
    need_words(batch);
    Writer& writer = writers_.get({batch.rows, batch.source_steps}, [&] {
      return std::make_unique<Writer>(network_, parameters_, *multiplier_, batch.rows,
                                      batch.source_steps);
    });
    writer.encoder->read("source", batch.source.data());
    writer.encoder->run();
    writer.decoder->read("source", batch.source.data());
    translations.resize(first + rows);
    std::vector<std::int32_t> words(rows, Vocabulary::kStart);
    writer.decoder->read("word", words.data());
    std::size_t writing = rows;
    for (std::int64_t t = 0; t < most_words && writing > 0; ++t) {
      writer.decoder->run();
      for (std::size_t r = 0; r < rows; ++r) {
        if (t > 0 && words[r] == Vocabulary::kEnd) continue;
        const auto size = static_cast<std::size_t>(options_.target_words);
        const auto choices =
            std::span(writer.logits).subspan(r * size, size).subspan(Vocabulary::kEnd);
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
  read_back();
  std::vector<Parameter*> all;
  for (Parameter& parameter : parameters_) all.push_back(&parameter);
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
