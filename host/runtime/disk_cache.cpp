#include "host/runtime/disk_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "host/runtime/digest.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "systole cache 1\n";
constexpr std::string_view kSuffix = ".txt";
constexpr std::string_view kUnfinished = "unfinished-";
/// A file still unfinished after this long was left by a killed process.
constexpr std::chrono::hours kAbandoned{1};

std::string file_text(std::string_view identity, std::string_view text) {
  std::string whole = fmt::format("{}{}\n\n{}\n\n", kHeader, identity, text);
  whole += fmt::format("check {}\n", Digest().add(whole).hex());
  return whole;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

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

fs::path DiskCache::file_of(std::string_view identity) const {
  return folder_ / (Digest().add(identity).hex() + std::string(kSuffix));
}

std::optional<std::string> DiskCache::find(std::string_view identity) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = file_of(identity);
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string whole = bytes.str();
  // A file is valid if it equals, byte for byte, what keep writes for some text.
  const std::size_t around = file_text(identity, "").size();
  if (whole.size() < around) return std::nullopt;
  std::string text = whole.substr(kHeader.size() + identity.size() + 2, whole.size() - around);
  if (whole != file_text(identity, text)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);  // marks it as used
  return text;
}

void DiskCache::keep(std::string_view identity, std::string_view text) const {
  if (folder_.empty()) return;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  std::string unfinished = folder_ / (std::string(kUnfinished) + "XXXXXX");
  const int file = ::mkostemp(unfinished.data(), O_CLOEXEC);
  if (file < 0) return;
  bool whole = write_all(file, file_text(identity, text));
  whole &= ::close(file) == 0;
  if (whole) fs::rename(unfinished, file_of(identity), failed);
  if (!whole || failed) {
    fs::remove(unfinished, failed);
    return;
  }
  // Listing a large folder costs more than writing a file, so 64 writes share one listing.
  static std::atomic<std::size_t> written{0};
  if (written++ % std::max<std::size_t>(1, most_files_ / 64) == 0) shrink();
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

void DiskCache::shrink() const {
  using Time = fs::file_time_type;
  std::vector<std::pair<Time, fs::path>> files;
  std::error_code failed;
  const Time abandoned = Time::clock::now() - kAbandoned;
  for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code gone;  // another process may have removed it
    const std::string name = entry->path().filename();
    const Time used = entry->last_write_time(gone);
    if (gone) continue;
    if (name.starts_with(kUnfinished) && used < abandoned) fs::remove(entry->path(), gone);
    if (name.ends_with(kSuffix)) files.emplace_back(used, entry->path());
  }
  if (files.size() <= most_files_) return;
  // Removes an eighth more than necessary, so that not every write pays for this.
  const std::size_t kept = most_files_ - most_files_ / 8;
  std::ranges::sort(files);
  for (std::size_t i = 0; i + kept < files.size(); ++i) fs::remove(files[i].second, failed);
}

}  // namespace systole
