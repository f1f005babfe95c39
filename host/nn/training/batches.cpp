#include "host/nn/training/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "host/nn/numbers/generator.h"

namespace systole::nn {
namespace {

// Separate from the streams of the orders, which use the seed itself.
constexpr std::uint64_t kAugmentationSeed = 0x61756768656e;

}  // namespace

Batches::Batches(const Dataset& data, std::int64_t batch_size, const Augmentation& augmentation)
    : data_(data), batch_size_(batch_size), augmentation_(augmentation) {
  augmentation_.check(data.sample_shape);
  order_.resize(static_cast<std::size_t>(data.size()));
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
}

void Batches::shuffle(std::uint64_t seed, std::int64_t epoch) {
  seed_ = seed;
  epoch_ = epoch;
  std::iota(order_.begin(), order_.end(), std::int64_t{0});
  Generator generator(seed, static_cast<std::uint64_t>(epoch));
  generator.shuffle(std::span(order_));
}

void Batches::take(std::int64_t index, Tensor& inputs, std::vector<std::int32_t>& labels) const {
  if (index < 0 || index >= count()) {
    throw std::invalid_argument(fmt::format("no batch {}: there are {}", index, count()));
  }
  const std::int64_t first = index * batch_size_;
  const std::int64_t rows = std::min(batch_size_, data_.size() - first);
  const std::int64_t row_size = static_cast<std::int64_t>(data_.inputs.size()) / data_.size();
  inputs.resize(rows, row_size);
  const std::int64_t each = data_.labels_per_sample;
  labels.resize(static_cast<std::size_t>(rows * each));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t sample = order_[first + r];
    const auto image =
        std::span(data_.inputs).subspan(sample * row_size, static_cast<std::size_t>(row_size));
    std::copy_n(data_.labels.begin() + sample * each, each, labels.begin() + r * each);
    if (augmentation_.is_on()) {
      const auto stream = static_cast<std::uint64_t>(epoch_ * data_.size() + sample);
      augmentation_.apply(image, data_.sample_shape, Generator(seed_ ^ kAugmentationSeed, stream),
                          inputs.row(r));
    } else {
      std::ranges::copy(image, inputs.row(r).begin());
    }
  }
}

}  // namespace systole::nn
