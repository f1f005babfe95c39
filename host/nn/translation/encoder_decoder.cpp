#include "host/nn/translation/encoder_decoder.h"

#include "host/data/vocabulary.h"
#include "host/nn/layers/attention.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/gru.h"
#include "host/nn/layers/initializer.h"

namespace systole::nn {
namespace {

template <typename Work>
auto within(Builder& builder, std::string_view prefix, const Work& work) {
  const Builder::Scope scope(builder, prefix);
  return work();
}

BahdanauAttention attention_of(Builder& builder, std::int64_t units) {
  const Builder::Scope scope(builder, "attention/");
  return {builder, {.query_size = units, .value_size = units, .units = units}};
}

}  // namespace

Encoded EncoderDecoder::encode(Builder& builder, Value source) const {
  const Builder::Scope scope(builder, "encoder/");
  builder.start_from(seed, 0);
  const Value live = where_words(source);
  const Value embedded = within(builder, "embedding/", [&] {
    return Embedding{.words = source_words, .units = embedding_size}(builder, source);
  });
  const Value states =
      within(builder, "gru/", [&] { return gru_states(builder, embedded, units, live); });
  return {.values = states, .live = live, .last = take(states, 0, states.dimension(0) - 1)};
}

Value EncoderDecoder::keys(Builder& builder, Value values) const {
  const Builder::Scope scope(builder, "decoder/");
  return attention_of(builder, units).keys(values);
}

Written EncoderDecoder::write(Builder& builder, Encoded encoded, Value words, Value live) const {
  const Builder::Scope scope(builder, "decoder/");
  builder.start_from(seed, 1);
  const Value embedded = within(builder, "embedding/", [&] {
    return Embedding{.words = target_words, .units = embedding_size}(builder, words);
  });
  const BahdanauAttention attention = attention_of(builder, units);
  if (!encoded.keys) encoded.keys = attention.keys(encoded.values);
  const std::int64_t steps = words.dimension(0), rows = words.dimension(1);
  Value state = encoded.last;
  std::vector<Value> states;
  within(builder, "gru/", [&] {
    const Value w = dense_weight(builder, "kernel", embedding_size, 3 * units);
    const Value projected =
        matmul(embedded, w) + builder.weight("bias", {3 * units}, constantly(0));
    const Value of_context = dense_weight(builder, "context/kernel", units, 3 * units);
    const GruCell cell(builder, units);
    for (std::int64_t t = 0; t < steps; ++t) {
      const Value context = attention(state, encoded.values, encoded.keys, encoded.live).context;
      state = cell(take(projected, 0, t) + matmul(context, of_context), state,
                   live ? take(live, 0, t) : live);
      states.push_back(reshape(state, {1, rows, units}));
    }
  });
  const Value logits = within(builder, "output/", [&] {
    return matmul(concatenate(states, 0), dense_weight(builder, "kernel", units, target_words)) +
           builder.weight("bias", {target_words}, constantly(0));
  });
  return {.logits = logits, .state = state};
}

Value where_words(Value numbers) { return compare(numbers, "NE", Vocabulary::kPadding); }

}  // namespace systole::nn
