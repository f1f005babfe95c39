#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/nn/optimizers/optimizer.h"
#include "host/nn/training/compiled_training.h"
#include "host/nn/training/training.h"
#include "host/nn/translation/encoder_decoder.h"
#include "host/nn/translation/token_batches.h"

namespace systole::nn {

/// How well a batch of sentences was predicted, word by word.
struct WordScore {
  double loss = 0;      ///< mean over the words that count
  double accuracy = 0;  ///< 0..1: the share of words that got the largest output
  std::int64_t words = 0;
};

struct TranslatorOptions {
  static constexpr float kClipNorm = 1.0f;

  std::int64_t source_words = 0, target_words = 0;  ///< sizes of the vocabularies
  std::int64_t embedding_size = 256;
  std::int64_t units = 256;  ///< of both GRUs and of the attention
  Adam optimizer = {};
  Schedule schedule = {};       ///< of the optimizer's learning rate, step by step
  float clip_norm = kClipNorm;  ///< limit of the gradients' global norm
  Device device;
  std::optional<DataType> precision = {};  ///< default: fp32 on cpu, bf16 on every other device
  std::int64_t steps_per_execution = 1;    ///< steps of a launch, at most
  std::uint64_t seed = 1;                  ///< of the initial weights
};

/// Translates sentences: one GRU reads a sentence, another writes the translation with attention
/// to what was read. Trained with teacher forcing.
///
/// Timing   every call blocks; one thread at a time. fit, evaluate and translate pad all batches to
///          one shape, whose step is compiled once
/// Numbers  fp32 master weights; docs/numerics.md section 9. The same seeds on two bit-exact
/// devices
///          give the same losses and weights, to the last bit. Padding changes neither loss nor
///          gradients
/// Errors   std::invalid_argument for options, or words that are not in the vocabularies;
///          graph::GraphError for what the device cannot run; TrainingError when the loss becomes
///          NaN or infinite; DeviceError from the device
/// Source   Bahdanau, Cho and Bengio, ICLR 2015, with one forward GRU
class Translator {
 public:
  explicit Translator(const TranslatorOptions& options);
  ~Translator();
  Translator(Translator&&) noexcept;

  /// Accuracy and loss are means over words, [END] included, padding excluded. `validation` takes
  /// the place of validation_data between epochs.
  History fit(std::span<const TokenPair> pairs, const FitOptions& options = {},
              std::span<const TokenPair> validation = {});
  WordScore evaluate(std::span<const TokenPair> pairs, const EvaluateOptions& options = {});

  /// Greedy: appends the likeliest next word until [END] or most_words. Results have neither
  /// [START] nor [END]; padding, [UNK] and [START] are never chosen.
  std::vector<std::vector<std::int32_t>> translate(
      std::span<const std::vector<std::int32_t>> sources, std::int64_t most_words,
      std::int64_t batch_size = 128);

  /// One step of fit, for custom loops.
  WordScore train_batch(const TokenBatch& batch);

  /// Forward and backward pass without clipping or update: the gradients stay in parameters().
  WordScore compute_gradients(const TokenBatch& batch);

  /// A table of parts and parameter counts.
  std::string summary();

  /// What steps copied to the device as their batches, in bytes.
  std::int64_t infeed_bytes() const { return infeed_bytes_; }

  /// As Sequential's.
  double device_wall_seconds() const;
  Counters processor_products() const;
  std::vector<Parameter*> parameters();

 private:
  class Fit;

  struct Model;  ///< its parameters, and the graphs written with them

  std::unique_ptr<CompiledTraining> compiled(TrainingGraph (Model::*write)(const BatchShape& shape),
                                             std::int64_t steps = 1) const;
  std::vector<const CompiledTraining*> all() const;

  void need_words(const TokenBatch& batch) const;
  /// Adds a batch, with what it is in the training, to the next launch.
  void add(CompiledTraining& steps, const TokenBatch& batch, std::int64_t update);
  void add_step(const TokenBatch& batch) { add(*training_, batch, ++updates_); }
  std::vector<Score> run_steps();
  WordScore run(CompiledTraining& steps, const TokenBatch& batch);

  TranslatorOptions options_;
  DataType precision_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<CompiledTraining> training_, gradients_, evaluation_, encoder_, decoder_;
  std::int64_t updates_ = 0;
  std::int64_t infeed_bytes_ = 0;
};

}  // namespace systole::nn
