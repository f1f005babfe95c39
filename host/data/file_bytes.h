#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace systole {

/// A data file that is missing or malformed. One line: path, what is wrong, what to do.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The whole of a file, unchanged.
///
/// Errors   DataError if it cannot be read
std::vector<std::uint8_t> read_plain_file(const std::filesystem::path& path);

/// The whole of a file, decompressed if it is gzip (told by its content, not its name).
///
/// Errors   DataError if it cannot be read, or its gzip stream is truncated, damaged or followed by
///          other bytes
std::vector<std::uint8_t> read_file(const std::filesystem::path& path);

}  // namespace systole
