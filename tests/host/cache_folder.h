#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/device/cache_records.h"

namespace systole::tests {

/// A temporary folder for one test, removed with its contents.
class CacheFolder {
 public:
  CacheFolder() {
    std::string name = std::filesystem::temp_directory_path() / "systole_cache_XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~CacheFolder() { std::filesystem::remove_all(path_); }
  CacheFolder(const CacheFolder&) = delete;
  CacheFolder& operator=(const CacheFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The texts that a DiskCache has kept.
  std::size_t texts() const {
    std::size_t count = 0;
    for (const auto& path : files()) {
      std::ifstream file(path, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(file), {}};
      read_records(bytes, [&](auto, auto) { ++count; });
    }
    return count;
  }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      files.push_back(entry.path());
    }
    return files;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace systole::tests
