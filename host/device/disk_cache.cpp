#include "host/device/disk_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "host/device/cache_files.h"

namespace systole {

namespace fs = std::filesystem;

DiskCache::DiskCache(fs::path folder, std::size_t most_bytes)
    : folder_(std::move(folder)),
      files_(folder_.empty() ? nullptr : &CacheFiles::of(folder_, most_bytes)) {}

fs::path DiskCache::users_folder() {
  const auto named = [](const char* variable) {
    const char* value = std::getenv(variable);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path own = named("SYSTOLE_CACHE_DIR"); !own.empty()) return own;
  // The XDG Base Directory Specification says to ignore a relative path.
  if (const fs::path caches = named("XDG_CACHE_HOME"); caches.is_absolute()) {
    return caches / "systole";
  }
  const fs::path home = named("HOME");
  return home.empty() ? fs::path() : home / ".cache" / "systole";
}

std::optional<std::string> DiskCache::find(std::string_view identity) const {
  return files_ == nullptr ? std::nullopt : files_->find(identity);
}

void DiskCache::keep(std::string_view identity, std::string_view text) const {
  if (files_ != nullptr) files_->keep(identity, text);
}

std::string DiskCache::trouble() const {
  if (folder_.empty()) return "no folder for it: set SYSTOLE_CACHE_DIR or HOME";
  if (folder_ == "/dev/null") return {};
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (!failed && ::access(folder_.c_str(), R_OK | W_OK | X_OK) != 0) {
    failed.assign(errno, std::generic_category());
  }
  if (!failed) return {};
  return fmt::format("{} cannot be written ({}): set SYSTOLE_CACHE_DIR to a folder that can",
                     folder_.string(), failed.message());
}

}  // namespace systole
