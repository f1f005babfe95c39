#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace systole::tests {

/// An IDX file's bytes: header, then `values`.
std::vector<std::uint8_t> idx_bytes(const std::vector<std::uint32_t>& dimensions,
                                    const std::vector<std::uint8_t>& values);

std::vector<std::uint8_t> gzip(const std::vector<std::uint8_t>& bytes);

void write_bytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);

/// A set in MNIST's four files: 28 x 28 images in which the label shows, `train` and `test` of
/// them.
void write_small_mnist(const std::filesystem::path& folder, std::uint32_t train,
                       std::uint32_t test);

}  // namespace systole::tests
