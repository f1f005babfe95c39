#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "host/nn/optimizers/optimizer.h"
#include "host/nn/training/compiled_training.h"
#include "host/nn/training/recently_used.h"
#include "host/nn/training/step.h"
#include "host/nn/training/training.h"
#include "host/nn/training/updates.h"
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
  /// fit runs whole steps on the device, up to so many from one doorbell, and pads all batches to
  /// one shape; none: products alone run there.
  std::optional<std::int64_t> steps_per_execution = {};
  std::uint64_t seed = 1;  ///< of the initial weights
};

/// Translates sentences: one GRU reads a sentence, another writes the translation with attention
/// to what was read. Trained with teacher forcing.
///
/// Timing   every call blocks; one thread at a time
/// Numbers  fp32 master weights; matrix products in the precision, on the device; the rest in fp32
///          on the host, in an order that does not depend on threads; or all of a step on the
///          device (docs/numerics.md section 9). The same seeds on two
///          bit-exact devices give the same losses and weights, to the last bit. Padding changes
///          neither loss nor gradients.
/// Errors   std::invalid_argument for options, or words that are not in the vocabularies;
///          TrainingError when the loss becomes NaN or infinite; DeviceError from the device
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
  WordScore compute_gradients(const TokenBatch& batch) { return run(batch, true); }

  /// A table of parts and parameter counts.
  std::string summary();

  /// What whole steps copied to the device, in bytes.
  std::int64_t infeed_bytes() const { return infeed_bytes_; }

  /// As Sequential's.
  double device_wall_seconds() const { return multiplier_->device_wall_seconds(); }
  const Counters& processor_products() const { return multiplier_->counted(); }
  std::vector<Parameter*> parameters();

 private:
  class Fit;
  struct Writer;

  void need_words(const TokenBatch& batch) const;
  TrainingGraph write_step(const BatchShape& shape);
  void open_whole_steps(const BatchShape& shape);
  void add_whole_step(const TokenBatch& batch);
  std::vector<Score> run_whole_steps();
  void read_back();
  WordScore run(const TokenBatch& batch, bool training);

  TranslatorOptions options_;
  EncoderDecoder network_;
  std::deque<Parameter> parameters_;
  std::unique_ptr<Multiplier> multiplier_;
  RecentlyUsed<Step> steps_, scores_;
  RecentlyUsed<Writer> writers_;
  Updates updates_of_;
  std::int64_t updates_ = 0;
  std::unique_ptr<CompiledTraining> whole_steps_;  ///< while fit trains with them
  std::int64_t infeed_bytes_ = 0;
};

}  // namespace systole::nn
