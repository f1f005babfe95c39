#pragma once

#include <cstdint>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Additive attention: how much each word of a sentence matters at a step of the decoder.
///
///     score[s] = v . tanh(q W1 + key[s])      key[s] = value[s] W2 + b
///     weight   = softmax(score) over the words, 0 on padding
///     context  = sum over s of weight[s] value[s]
///
/// Shapes   values [steps, rows, value_size], keys [steps, rows, units], live [steps, rows], a
///          predicate; query [rows, query_size], context [rows, value_size]
/// Limits   every sentence has at least one word
/// Timing   the keys are one product for all queries; q W1 is one product per query. v . tanh runs
///          on the host: a product with one column copies as many values as it does multiply-adds
/// Source   Bahdanau, Cho and Bengio, ICLR 2015, section 3.1
class BahdanauAttention {
 public:
  struct Options {
    std::int64_t query_size = 0, value_size = 0;
    std::int64_t units = 0;  ///< inside the tanh
  };

  BahdanauAttention(Builder& builder, const Options& options);

  Value keys(Value values) const { return matmul(values, key_) + key_bias_; }

  struct Result {
    Value context, weights;  ///< weights [steps, rows]
  };
  Result operator()(Value query, Value values, Value keys, Value live) const;

 private:
  Value query_, key_, key_bias_, score_;
};

}  // namespace systole::nn
