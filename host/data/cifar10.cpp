#include "host/data/cifar10.h"

#include <fmt/format.h>

#include "host/data/file_bytes.h"

namespace systole {
namespace {

constexpr std::size_t kCifarSide = 32, kChannels = 3;
constexpr std::size_t kPlane = kCifarSide * kCifarSide;
constexpr std::size_t kImage = kChannels * kPlane;
constexpr std::size_t kRecord = 1 + kImage;
constexpr std::int32_t kCifarClasses = 10;

// From plane after plane to pixel after pixel.
void add_image(std::span<const std::uint8_t> planes, std::vector<float>& inputs) {
  for (std::size_t pixel = 0; pixel < kPlane; ++pixel) {
    for (std::size_t channel = 0; channel < kChannels; ++channel) {
      inputs.push_back(static_cast<float>(planes[channel * kPlane + pixel]) / 255.0f);
    }
  }
}

}  // namespace

Dataset read_cifar10(std::span<const std::filesystem::path> files) {
  Dataset dataset{.name = "cifar10",
                  .sample_shape = {kCifarSide, kCifarSide, kChannels},
                  .inputs = {},
                  .labels = {},
                  .classes = kCifarClasses};
  std::size_t size_of_first = 0;
  for (const auto& path : files) {
    const auto wrong = [&](const std::string& what) {
      return DataError(fmt::format("{}: {}; run scripts/fetch_data cifar10 to fetch it again",
                                   path.string(), what));
    };
    const auto bytes = read_file(path);
    if (bytes.empty() || bytes.size() % kRecord != 0) {
      throw wrong(
          fmt::format("{} bytes are not a whole number of images of {}", bytes.size(), kRecord));
    }
    if (size_of_first == 0) size_of_first = bytes.size();
    if (bytes.size() != size_of_first) {
      throw wrong(fmt::format("{} images, where {} has {}: one of them is cut off",
                              bytes.size() / kRecord, files[0].string(), size_of_first / kRecord));
    }
    dataset.inputs.reserve(files.size() * size_of_first / kRecord * kImage);
    for (std::size_t i = 0; i < bytes.size(); i += kRecord) {
      if (bytes[i] >= kCifarClasses) {
        throw wrong(fmt::format("label {} of image {} is not in 0..{}", bytes[i], i / kRecord,
                                kCifarClasses - 1));
      }
      dataset.labels.push_back(bytes[i]);
      add_image(std::span(bytes).subspan(i + 1, kImage), dataset.inputs);
    }
  }
  return dataset;
}

}  // namespace systole
