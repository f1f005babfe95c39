#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

/// Short texts on disk, each under the text that it follows from: its identity. What is found was
/// kept under exactly that identity; a file of which any byte differs is as good as none.
///
/// A file is named by the digest of the identity, appears under its name only when it is whole, and
/// holds identity, text and a digest of both, to be read with any pager.
///
/// Limits   at most `most_files` files, 1 KiB or so each; those not used for longest go first. It
///          is a cache: a folder that is missing, full, read-only or damaged loses what was kept
/// Timing   any number of threads and processes may use one folder at once
/// Errors   none; where nothing can be read or written, nothing is found
class DiskCache {
 public:
  static constexpr std::size_t kMostFiles = 4096;

  /// `folder` is made when something is kept; an empty one keeps nothing.
  explicit DiskCache(std::filesystem::path folder, std::size_t most_files = kMostFiles)
      : folder_(std::move(folder)), most_files_(most_files) {}

  std::optional<std::string> find(std::string_view identity) const;
  void keep(std::string_view identity, std::string_view text) const;

  const std::filesystem::path& folder() const { return folder_; }

  /// $SYSTOLE_CACHE_DIR, else $XDG_CACHE_HOME/systole, else ~/.cache/systole, else nowhere.
  static std::filesystem::path users_folder();

 private:
  std::filesystem::path file_of(std::string_view identity) const;
  void shrink() const;

  std::filesystem::path folder_;
  std::size_t most_files_;
};

}  // namespace systole
