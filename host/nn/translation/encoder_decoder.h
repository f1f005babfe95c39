#pragma once

#include <cstdint>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// The encoder's output for a batch of sentences.
///
/// Shapes   values and keys [steps, rows, units], live [steps, rows], last [rows, units]
struct Encoded {
  Value values, keys = {};
  Value live;  ///< true where there is a word
  Value last;  ///< the state after the last word
};

/// A predicate: true where the number is not padding.
Value where_words(Value numbers);

/// The decoder's output: logits [steps, rows, words], and the state [rows, units] after them.
struct Written {
  Value logits, state;
};

/// One GRU reads a sentence; another writes the translation word by word, attending to the first
/// one's values:
///
///     context = attention(state, values)
///     state   = GRU([embedding(word), context], state)     logits = state W_o + b_o
///
/// Shapes   words time-major: [steps, rows], i32
/// Timing   one product for all steps: the embeddings' part of each GRU's input, the keys, the
///          logits; one product per step: state, query, context
/// Numbers  the first state is the encoder's last
/// Source   Bahdanau, Cho and Bengio, ICLR 2015, with one forward GRU; the output depends on the
///          state alone, as in TensorFlow's translation tutorial
struct EncoderDecoder {
  std::int64_t source_words = 0, target_words = 0;
  std::int64_t embedding_size = 0, units = 0;
  std::uint64_t seed = 1;  ///< of the initial weights

  /// The result has no keys yet.
  Encoded encode(Builder& builder, Value source) const;

  /// The attention keys of the encoder's values; the same for every word written.
  Value keys(Builder& builder, Value values) const;

  /// words: the word before each step; live: false past the end of the sentence, or none. Computes
  /// the keys if `encoded` has none.
  Written write(Builder& builder, Encoded encoded, Value words, Value live = {}) const;
};

}  // namespace systole::nn
