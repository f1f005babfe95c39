#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

class CacheFiles;

/// Stores short texts on disk, each under its identity: a text with everything that it follows
/// from. A lookup returns only what was stored under exactly that identity; a damaged entry counts
/// as missing.
///
/// CacheFiles has the files.
///
/// Limits   at most `most_bytes` in all; the least recently used go first. It is a cache: a folder
///          that is missing, full, read-only or damaged loses entries
/// Timing   any number of threads and processes may use one folder at once
/// Errors   none; a folder that cannot be read or written behaves as empty. Damage is said on
/// stderr
class DiskCache {
 public:
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  /// `folder` is created by the first write; an empty path stores nothing.
  explicit DiskCache(std::filesystem::path folder, std::size_t most_bytes = kMostBytes);

  std::optional<std::string> find(std::string_view identity) const;
  void keep(std::string_view identity, std::string_view text) const;

  const std::filesystem::path& folder() const { return folder_; }

  /// Why nothing can be stored, in words; empty if all is well. /dev/null disables it on purpose.
  std::string trouble() const;

  /// $SYSTOLE_CACHE_DIR, else $XDG_CACHE_HOME/systole, else ~/.cache/systole, else an empty path.
  static std::filesystem::path users_folder();

 private:
  std::filesystem::path folder_;
  CacheFiles* files_;  ///< of this process; null without a folder
};

}  // namespace systole
