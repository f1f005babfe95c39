#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

/// Keeps short texts on disk, each under its identity: a text with everything that it follows from.
/// A lookup returns only what was kept under exactly that identity; a damaged file counts as
/// missing.
///
/// A file is named by the digest of the identity, appears under its name only once it is complete,
/// and holds identity, text and a digest of both in readable form.
///
/// Limits   at most `most_files` files of about 1 KiB each; the least recently used go first. It is
///          a cache: a folder that is missing, full, read-only or damaged loses entries
/// Timing   any number of threads and processes may use one folder at once
/// Errors   none; a folder that cannot be read or written behaves as empty
class DiskCache {
 public:
  static constexpr std::size_t kMostFiles = 4096;

  /// `folder` is created by the first write; an empty path keeps nothing.
  explicit DiskCache(std::filesystem::path folder, std::size_t most_files = kMostFiles)
      : folder_(std::move(folder)), most_files_(most_files) {}

  std::optional<std::string> find(std::string_view identity) const;
  void keep(std::string_view identity, std::string_view text) const;

  const std::filesystem::path& folder() const { return folder_; }

  /// Why nothing can be kept, in words; empty if all is well. /dev/null says on purpose: nothing.
  std::string trouble() const;

  /// $SYSTOLE_CACHE_DIR, else $XDG_CACHE_HOME/systole, else ~/.cache/systole, else an empty path.
  static std::filesystem::path users_folder();

 private:
  std::filesystem::path file_of(std::string_view identity) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::size_t most_files_;
};

}  // namespace systole
