#include "host/nn/layers/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace systole::nn {
namespace {

Shape table_shape(std::int64_t words, std::int64_t units) {
  if (words < 1 || units < 1) {
    throw std::invalid_argument(
        fmt::format("Embedding: a table of {} x {} has no values", words, units));
  }
  return {words, units};
}

}  // namespace

Embedding::Embedding(const std::string& name, std::int64_t words, std::int64_t units,
                     Generator& generator)
    : table_(name + "/table", table_shape(words, units)) {
  constexpr float kLimit = 0.05f;
  for (float& value : table_.value) value = generator.uniform(-kLimit, kLimit);
}

std::size_t Embedding::row_of(std::int32_t number) const {
  if (number < 0 || number >= table_.shape[0]) {
    throw std::invalid_argument(
        fmt::format("Embedding: there is no word {}: its table has {}", number, table_.shape[0]));
  }
  return static_cast<std::size_t>(number * units());
}

void Embedding::forward(std::span<const std::int32_t> numbers, std::span<float> y) const {
  float* row = y.data();
  for (const std::int32_t number : numbers) {
    row = std::copy_n(table_.value.data() + row_of(number), units(), row);
  }
}

void Embedding::backward(std::span<const std::int32_t> numbers, std::span<const float> d_y) {
  std::ranges::fill(table_.gradient, 0.0f);
  const float* d_row = d_y.data();
  for (const std::int32_t number : numbers) {
    float* sum = table_.gradient.data() + row_of(number);
    for (std::int64_t u = 0; u < units(); ++u) sum[u] += d_row[u];
    d_row += units();
  }
}

}  // namespace systole::nn
