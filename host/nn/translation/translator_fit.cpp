// Translator's fit and evaluate.

#include <fmt/format.h>

#include <stdexcept>

#include "host/nn/training/training_loop.h"
#include "host/nn/translation/translator.h"

namespace systole::nn {

/// Adapts a Translator and its sentence pairs to the training loop.
class Translator::Fit : public Trainable {
 public:
  Fit(Translator& model, std::span<const TokenPair> pairs, const FitOptions& options,
      std::span<const TokenPair> validation)
      : model_(model),
        options_(options),
        validation_(validation),
        pair_count_(std::ssize(pairs)),
        optimizer_(describe(model.options_.optimizer)),
        batches_(pairs, options.batch_size),
        shape_(widest_batch(pairs, options.batch_size)) {}

  std::int64_t batches() const override { return batches_.count(); }

  void begin_epoch(std::int64_t epoch, std::int64_t first, std::int64_t) override {
    batches_.shuffle(options_.seed, epoch);
    next_ = first;
  }

  std::vector<Step> train_some(std::int64_t most) override {
    std::vector<Step> steps;
    while (std::ssize(steps) < std::min(most, model_.training_->most_steps())) {
      const TokenBatch batch = batches_.take(next_++, shape_);
      model_.add_step(batch);
      steps.push_back({.score = {}, .samples = count_words(batch)});
    }
    const std::vector<Score> scores = model_.run_steps();
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].score = scores[i];
    return steps;
  }

  bool can_validate() const override { return !validation_.empty(); }
  Score validate() override {
    const WordScore score = model_.evaluate(validation_, {.batch_size = options_.batch_size});
    return {.loss = score.loss, .accuracy = score.accuracy};
  }

  std::vector<Parameter*> parameters() override { return model_.parameters(); }

  std::int64_t updates() const override { return model_.updates_; }
  void set_updates(std::int64_t updates) override { model_.updates_ = updates; }
  float learning_rate() const override { return model_.options_.optimizer.learning_rate; }
  void set_learning_rate(float rate) override {
    Adam changed = model_.options_.optimizer;
    changed.learning_rate = rate;
    changed.check();
    model_.options_.optimizer = changed;
  }
  float step_rate() const override {
    return scheduled(learning_rate(), model_.options_.schedule, model_.updates_ - 1);
  }

  std::map<std::string, std::string> identity() const override {
    const TranslatorOptions& options = model_.options_;
    return {{"data", "sentence pairs"},
            {"samples", fmt::format("{}", pair_count_)},
            {"batch_size", fmt::format("{}", options_.batch_size)},
            {"seed", fmt::format("{}", options_.seed)},
            {"weight_seed", fmt::format("{}", options.seed)},
            {"precision", std::string(to_string(model_.precision_))},
            {"optimizer", optimizer_},
            {"schedule", describe(options.schedule)},
            {"clip_norm", fmt::format("{}", options.clip_norm)},
            {"layers",
             fmt::format("nmt of {} to {} words, {} units, embeddings of {}", options.source_words,
                         options.target_words, options.units, options.embedding_size)}};
  }

 private:
  Translator& model_;
  const FitOptions& options_;
  std::span<const TokenPair> validation_;
  std::int64_t pair_count_;
  std::string optimizer_;  ///< before any schedule
  TokenBatches batches_;
  BatchShape shape_;  ///< of all batches
  std::int64_t next_ = 0;
};

History Translator::fit(std::span<const TokenPair> pairs, const FitOptions& options,
                        std::span<const TokenPair> validation) {
  if (options.batch_size < 1) {
    throw std::invalid_argument(fmt::format("batch_size is {}, not >= 1", options.batch_size));
  }
  if (pairs.empty()) throw std::invalid_argument("there are no sentence pairs");
  Fit fit(*this, pairs, options, validation);
  return train(fit, options);
}

}  // namespace systole::nn
