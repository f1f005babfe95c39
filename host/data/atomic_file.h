#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

namespace systole {

/// Puts bytes at a path so that, whatever happens and whenever, the path holds all of them or what
/// it held before: they are written beside it, brought to the disk, and renamed.
///
/// Limits   a link is followed, and stays; what a killed process left beside the path is removed by
///          the next write to it
/// Errors   std::runtime_error with the path and the system's reason; nothing is left behind then
void write_file_atomically(const std::filesystem::path& path, std::span<const std::uint8_t> bytes);
void write_file_atomically(const std::filesystem::path& path, std::string_view text);

/// Proves that a file can be made and filled there, before hours of work are spent on its content.
///
/// Errors   as write_file_atomically
void need_writable(const std::filesystem::path& path);

}  // namespace systole
