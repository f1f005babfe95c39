#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace systole {

/// The files of DiskCache in one folder, and what this process has read of them.
///
///     recent.txt    records (cache_records.h) in the order in which they were stored
///     earlier.txt   what was recent.txt when it had grown to half of `most_bytes`
///     lock          held by a process that writes
///
/// A record is appended; a text that is found in earlier.txt is appended to recent.txt again. When
/// recent.txt is full it replaces earlier.txt, so what was not used for longest is dropped.
///
/// A file with bytes that are no record is written again without them, under a word on stderr.
///
/// Limits   a process that cannot get the lock within a second does not write
/// Timing   thread-safe; any number of processes. A text that is known costs no access to the disk,
///          one that is not two of opening a file
class CacheFiles {
 public:
  CacheFiles(std::filesystem::path folder, std::size_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  std::optional<std::string> find(std::string_view identity);
  void keep(std::string_view identity, std::string_view text);

  /// The one of this process for a folder: reading a full cache takes tenths of a second, and a
  /// process may open many devices.
  static CacheFiles& of(const std::filesystem::path& folder, std::size_t most_bytes);

 private:
  class Lock;
  class OpenFile;
  using Texts = std::map<std::string, std::string, std::less<>>;

  /// A file as far as it is read.
  struct File {
    const char* name;
    ::dev_t device = 0;
    ::ino_t number = 0;
    std::size_t bytes = 0;  ///< of whole records
    Texts texts{};
  };

  std::optional<std::string> known(std::string_view identity);
  void refresh();
  /// What was appended to a file, or all of it if it is another one. False if bytes follow that are
  /// no record.
  bool refresh(File& file);
  static bool read_on(File& file, const OpenFile& open);
  void repair(File& file);
  void append(std::string_view identity, std::string_view text);

  std::filesystem::path folder_;
  std::size_t most_bytes_;
  std::mutex mutex_;
  File recent_{.name = "recent.txt"};
  File earlier_{.name = "earlier.txt"};
};

}  // namespace systole
