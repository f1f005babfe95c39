#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "host/nn/layers/parameter.h"
#include "host/nn/numbers/generator.h"

namespace systole::nn {

/// y[r] = table[number of r]: a row of learnt values for each word.
///
/// Shapes   numbers [rows], table [words, units], y [rows, units]
/// Limits   0 <= number < words
/// Timing   no matrix product: rows are copied forwards, and added backwards
/// Numbers  the table starts uniform in +-0.05, as Keras' does; its gradient is summed in fp32,
///          rows ascending, so that it does not depend on threads
/// Errors   std::invalid_argument for a number out of range, words or units below 1
class Embedding {
 public:
  Embedding(const std::string& name, std::int64_t words, std::int64_t units, Generator& generator);

  void forward(std::span<const std::int32_t> numbers, std::span<float> y) const;

  /// Replaces the table's gradient.
  void backward(std::span<const std::int32_t> numbers, std::span<const float> d_y);

  std::int64_t units() const { return table_.shape[1]; }
  std::span<Parameter> parameters() { return {&table_, 1}; }

 private:
  std::size_t row_of(std::int32_t number) const;

  Parameter table_;
};

}  // namespace systole::nn
