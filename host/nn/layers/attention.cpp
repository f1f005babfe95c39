#include "host/nn/layers/attention.h"

#include "host/nn/layers/activation.h"
#include "host/nn/layers/initializer.h"

namespace systole::nn {

BahdanauAttention::BahdanauAttention(Builder& builder, const Options& options)
    : query_(dense_weight(builder, "query/kernel", options.query_size, options.units)),
      key_(dense_weight(builder, "key/kernel", options.value_size, options.units)),
      key_bias_(builder.weight("key/bias", {options.units}, constantly(0))),
      score_(dense_weight(builder, "score/kernel", options.units, 1)) {}

BahdanauAttention::Result BahdanauAttention::operator()(Value query, Value values, Value keys,
                                                        Value live) const {
  constexpr double kNever = -1e9;  // a padded word's score: its exponential is 0
  const Value v = reshape(score_, {score_.dimension(0)});
  const Value found = sum(tanh(keys + matmul(query, query_)) * v, {2});
  const Value scores = select(live, found, constant_like(found, kNever));
  const Value weights = softmax(scores, 0);
  return {.context = sum(values * reshape(weights, {live.dimension(0), live.dimension(1), 1}), {0}),
          .weights = weights};
}

}  // namespace systole::nn
