#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace systole {

/// Writes a file whole or not at all: the bytes go to a temporary file beside the path, are synced
/// to disk, and replace the path by a rename. Whenever the process dies, the path holds either all
/// of the new bytes or its old content.
///
/// Limits   follows a symbolic link and keeps it; the next write removes what a killed process left
/// Errors   std::runtime_error with the path and the system's reason; leaves no partial file
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Checks that a file can be created and written there, before hours of work go into its content.
///
/// Errors   as write_file_atomically
void need_writable(const std::filesystem::path& path);

}  // namespace systole
