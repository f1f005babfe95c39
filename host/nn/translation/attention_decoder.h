#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "host/nn/layers/attention.h"
#include "host/nn/layers/embedding.h"
#include "host/nn/layers/gru.h"
#include "host/nn/layers/projection.h"
#include "host/nn/numbers/tensor.h"

namespace systole::nn {

/// What the encoder made of a batch of sentences.
struct Encoded {
  std::int64_t rows = 0;
  std::span<const float> values;       ///< [source_steps * rows, units], time-major
  std::span<const std::uint8_t> live;  ///< [source_steps * rows], 0 on padding
  std::span<const float> last;         ///< [rows, units]: the state after the last word
};

/// Writes a sentence word by word, looking back at the encoder's values:
///
///     context = attention(state, values)
///     state   = GRU([embedding(word), context], state)     logits = state W_o + b_o
///
/// Shapes   words and logits time-major: [steps * rows] and [steps * rows, target words]
/// Timing   the embeddings' part of the GRU's input, the logits, and every weight's gradient are
///          one product each for all steps; the state's and the context's are one for each step
/// Numbers  the first state is the encoder's last
/// Source   Bahdanau, Cho and Bengio, ICLR 2015; the output is of the state alone, as in
///          TensorFlow's translation tutorial
class AttentionDecoder {
 public:
  struct Options {
    std::int64_t words = 0, embedding_size = 0, units = 0;
  };

  AttentionDecoder(const Options& options, Generator& generator);

  /// Teacher forcing: the word before is `input`'s, whatever was predicted.
  /// live [steps * rows]: 0 where the sentence is over.
  void forward(Multiplier& multiplier, const Encoded& encoded, std::span<const std::int32_t> input,
               std::span<const std::uint8_t> live, Tensor& logits);

  /// The parameters' gradients, and those of what the encoder gave. After forward, with its spans.
  void backward(Multiplier& multiplier, std::span<const std::int32_t> input,
                std::span<const std::uint8_t> live, const Tensor& d_logits,
                std::span<float> d_values, std::span<float> d_last);

  /// Word by word: start, then write for t = 0 to most_steps-1 with the words before [rows].
  void start(Multiplier& multiplier, const Encoded& encoded, std::int64_t most_steps);
  void write(Multiplier& multiplier, std::int64_t t, std::span<const std::int32_t> words,
             Tensor& logits);

  std::vector<Parameter*> parameters();

 private:
  std::span<float> state(std::int64_t t);
  std::span<float> context(std::int64_t t);
  void advance(Multiplier& multiplier, std::int64_t t, std::span<float> projected,
               std::span<const std::uint8_t> live);

  std::int64_t units_, rows_ = 0;
  Embedding embedding_;
  BahdanauAttention attention_;
  Projection kernel_, context_kernel_;
  GruCell cell_;
  Projection output_;
  std::vector<float> states_, contexts_;  // of all steps; states_ begins with the encoder's last
  std::vector<float> embedded_, projected_, context_part_;
};

}  // namespace systole::nn
