#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "host/data/dataset.h"

namespace systole {

/// The content of an IDX file of unsigned bytes, the format of MNIST.
struct IdxBytes {
  std::vector<std::int64_t> dimensions;
  std::vector<std::uint8_t> values;
};

/// Reads an IDX file, plain or gzip.
///
/// Shapes   big-endian: 0, 0, 0x08 (unsigned byte), number of dimensions, 32 bits for each, values
/// Limits   exactly `dimension_count` dimensions, each >= 1
/// Errors   DataError for a wrong magic number, a file truncated at any byte, or trailing bytes
/// Source   http://yann.lecun.com/exdb/mnist, "the IDX file format"
IdxBytes read_idx(const std::filesystem::path& path, std::int64_t dimension_count);

/// Images and their labels as one data set: pixels 0..255 become 0..1.
///
/// Shapes   images [count, height, width] as sample_shape {height, width, 1}; labels [count]
/// Errors   as read_idx, and for counts that differ or a label >= classes
Dataset read_idx_dataset(const std::filesystem::path& images, const std::filesystem::path& labels,
                         std::int32_t classes);

}  // namespace systole
