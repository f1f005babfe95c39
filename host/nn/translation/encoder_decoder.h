#pragma once

#include <cstdint>

#include "host/nn/layers/builder.h"

namespace systole::nn {

/// What the encoder makes of a batch of sentences.
///
/// Shapes   values and keys [steps, rows, units], live [steps, rows], last [rows, units]
struct Encoded {
  Value values, keys = {};
  Value live;  ///< where there are words
  Value last;  ///< the state after the last word
};

/// A predicate: true where the number is not padding's.
Value where_words(Value numbers);

/// What the decoder writes: logits [steps, rows, words], and the state [rows, units] after them.
struct Written {
  Value logits, state;
};

/// A GRU that reads a sentence, and one that writes another word by word, looking at the first
/// one's values:
///
///     context = attention(state, values)
///     state   = GRU([embedding(word), context], state)     logits = state W_o + b_o
///
/// Shapes   words time-major: [steps, rows], i32
/// Timing   the embeddings' part of both GRUs' inputs, the keys and the logits are one product each
///          for all steps; the state's, the query's and the context's are one for each step
/// Numbers  the first state is the encoder's last
/// Source   Bahdanau, Cho and Bengio, ICLR 2015, with one GRU that reads forwards; the output is of
///          the state alone, as in TensorFlow's translation tutorial
struct EncoderDecoder {
  std::int64_t source_words = 0, target_words = 0;
  std::int64_t embedding_size = 0, units = 0;
  std::uint64_t seed = 1;  ///< of the initial weights

  /// Without keys.
  Encoded encode(Builder& builder, Value source) const;

  /// The decoder's, of the encoder's values: once for all that is written.
  Value keys(Builder& builder, Value values) const;

  /// words: those before each step; live: false where the sentence is over, or none. Keys that
  /// `encoded` lacks are made of its values.
  Written write(Builder& builder, Encoded encoded, Value words, Value live = {}) const;
};

}  // namespace systole::nn
