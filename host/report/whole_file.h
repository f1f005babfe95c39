#pragma once

#include <filesystem>
#include <string>

namespace systole {

/// A file beside its target, gone at the end unless it was renamed.
struct TemporaryFile {
  explicit TemporaryFile(const std::filesystem::path& target);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  std::filesystem::path path;
};

/// Writes a file so that it is there whole or not at all.
///
/// Errors   std::runtime_error naming the file; what was there before stays then
void write_whole(const std::filesystem::path& target, const std::string& text);

/// Throws as write_whole would if nothing can be written there, before any work is done for it.
void require_writable(const std::filesystem::path& target);

}  // namespace systole
