#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/nn/layers/projection.h"

namespace systole::nn {

/// Additive attention: where in a sentence to look, asked for anew at every step of a decoder.
///
///     score[s] = v . tanh(q W1 + value[s] W2 + b)
///     weight   = softmax(score) over the words that are there, 0 on padding
///     context  = sum over s of weight[s] value[s]
///
/// Shapes   values [steps * rows, value_size] time-major, live [steps * rows]; query
///          [rows, query_size], context [rows, value_size]
/// Limits   every sentence has a word that is there; start, then step for t = 0, 1, ..., then
///          step_back from the last t to 0, then find_gradients
/// Timing   value W2 + b is one product for all steps of the decoder; q W1 and the scores are one
///          each for every step. All tanh of all steps are kept for the way back
/// Numbers  products with W1, W2 and v on the device; the softmax and the sums weighted by it,
///          whose matrices differ for every sentence, in fp32 on the host, words ascending
/// Source   Bahdanau, Cho and Bengio, ICLR 2015, section 3.1
class BahdanauAttention {
 public:
  struct Options {
    std::string name;
    std::int64_t query_size = 0, value_size = 0;
    std::int64_t units = 0;  ///< inside the tanh
  };

  BahdanauAttention(const Options& options, Generator& generator);

  /// Keeps the spans: they must live until the last use.
  void start(Multiplier& multiplier, std::int64_t queries, std::int64_t rows,
             std::span<const float> values, std::span<const std::uint8_t> live);
  void step(Multiplier& multiplier, std::int64_t t, std::span<const float> query,
            std::span<float> context);

  /// Of step t's weights [steps * rows], as the last step(t) found them.
  std::span<const float> weights(std::int64_t t) const;

  void step_back(Multiplier& multiplier, std::int64_t t, std::span<const float> d_context,
                 std::span<float> d_query);

  /// The parameters' gradients from the queries of all steps, and that of the values.
  void find_gradients(Multiplier& multiplier, std::span<const float> queries,
                      std::span<float> d_values);

  std::vector<Parameter*> parameters();

 private:
  std::size_t offset(std::int64_t t) const { return static_cast<std::size_t>(t) * live_.size(); }
  void weigh(std::span<const float> scores, std::span<float> weights) const;

  std::int64_t units_, value_size_, rows_ = 0;
  Projection query_, key_, score_;
  std::span<const float> values_;
  std::span<const std::uint8_t> live_;
  std::vector<float> keys_, queried_, scores_;
  std::vector<float> tanh_, weights_;                       // of all steps
  std::vector<float> d_queried_, d_scores_;                 // of all steps
  std::vector<float> d_keys_, d_values_, d_values_by_key_;  // summed over the steps
};

}  // namespace systole::nn
