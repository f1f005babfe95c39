#pragma once

#include <cstdint>

#include "host/nn/layers/layer.h"

namespace systole::nn {

/// Additive attention: where in a sentence to look, asked at every step of a decoder.
///
///     score[s] = v . tanh(q W1 + key[s])      key[s] = value[s] W2 + b
///     weight   = softmax(score) over the words that are there, 0 on padding
///     context  = sum over s of weight[s] value[s]
///
/// Shapes   values [steps, rows, value_size], keys [steps, rows, units], live [steps, rows], a
///          predicate; query [rows, query_size], context [rows, value_size]
/// Limits   every sentence has a word that is there
/// Timing   the keys are one product for all queries, q W1 is one for each. v . tanh is no product
///          of the device: its one column would need as many values copied as multiply-adds
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
