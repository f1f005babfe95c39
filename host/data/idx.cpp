#include "host/data/idx.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "host/data/file_bytes.h"

namespace systole {
namespace {

constexpr std::uint32_t kUnsignedByte = 0x08;

std::uint32_t big_endian(std::span<const std::uint8_t> bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | bytes[3];
}

}  // namespace

IdxBytes read_idx(const std::filesystem::path& path, std::int64_t dimension_count) {
  const auto wrong = [&](const std::string& what) {
    return DataError(
        fmt::format("{}: {}; run scripts/fetch_data to fetch it again", path.string(), what));
  };
  auto bytes = read_file(path);
  const auto header_size = static_cast<std::size_t>(4 + 4 * dimension_count);
  const auto expected = kUnsignedByte << 8 | static_cast<std::uint32_t>(dimension_count);
  if (bytes.size() >= 4 && big_endian(bytes) != expected) {
    throw wrong(
        fmt::format("its first four bytes are 0x{:08x}, not the 0x{:08x} of an IDX file "
                    "of bytes with {} dimension{}",
                    big_endian(bytes), expected, dimension_count, dimension_count == 1 ? "" : "s"));
  }
  if (bytes.size() < header_size) {
    throw wrong(
        fmt::format("cut off after {} of its header's {} bytes", bytes.size(), header_size));
  }
  IdxBytes idx;
  // Wide enough that three 32-bit dimensions of a hostile header cannot wrap around.
  __extension__ unsigned __int128 size = 1;
  for (std::int64_t d = 0; d < dimension_count; ++d) {
    const auto dimension = big_endian(std::span(bytes).subspan(4 + 4 * d));
    if (dimension == 0) throw wrong(fmt::format("its dimension {} is 0", d));
    idx.dimensions.push_back(dimension);
    size *= dimension;
  }
  const std::size_t present = bytes.size() - header_size;
  if (present < size) {
    throw wrong(fmt::format("cut off: {} bytes of values, where its header promises more ({})",
                            present, fmt::join(idx.dimensions, " x ")));
  }
  if (present > size) {
    throw wrong(fmt::format("{} bytes too many after its {} values",
                            present - static_cast<std::size_t>(size),
                            static_cast<std::size_t>(size)));
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_size));
  idx.values = std::move(bytes);
  return idx;
}

Dataset read_idx_dataset(const std::filesystem::path& images_path,
                         const std::filesystem::path& labels_path, std::int32_t classes) {
  const IdxBytes images = read_idx(images_path, 3);
  const IdxBytes labels = read_idx(labels_path, 1);
  if (images.dimensions[0] != labels.dimensions[0]) {
    throw DataError(fmt::format(
        "{}: {} labels for the {} images of {}; run scripts/fetch_data to fetch both again",
        labels_path.string(), labels.dimensions[0], images.dimensions[0], images_path.string()));
  }
  Dataset dataset{.name = images_path.parent_path().filename().string(),
                  .sample_shape = {images.dimensions[1], images.dimensions[2], 1},
                  .inputs = std::vector<float>(images.values.size()),
                  .labels = std::vector<std::int32_t>(labels.values.begin(), labels.values.end()),
                  .classes = classes};
  for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
    if (dataset.labels[i] >= classes) {
      throw DataError(fmt::format(
          "{}: label {} of sample {} is not in 0..{}; run scripts/fetch_data to fetch it again",
          labels_path.string(), dataset.labels[i], i, classes - 1));
    }
  }
  for (std::size_t i = 0; i < dataset.inputs.size(); ++i) {
    dataset.inputs[i] = static_cast<float>(images.values[i]) / 255.0f;
  }
  return dataset;
}

}  // namespace systole
