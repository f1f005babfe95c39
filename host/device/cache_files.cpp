#include "host/device/cache_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "host/device/cache_records.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

constexpr ::mode_t kMode = 0666;  // less the user's umask

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

/// A file that is being read, whatever its name comes to mean; empty if there is none.
class CacheFiles::OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0 || ::fstat(file_, &status_) != 0 || !S_ISREG(status_.st_mode)) status_ = {};
  }
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  ::dev_t device() const { return status_.st_dev; }
  ::ino_t number() const { return status_.st_ino; }
  std::size_t size() const { return static_cast<std::size_t>(status_.st_size); }
  std::string bytes_from(std::size_t first) const {
    std::string bytes(size() - std::min(first, size()), '\0');
    std::size_t read = 0;
    while (read < bytes.size()) {
      const ssize_t part = ::pread(file_, bytes.data() + read, bytes.size() - read,
                                   static_cast<::off_t>(first + read));
      if (part < 0 && errno == EINTR) continue;
      if (part <= 0) break;
      read += static_cast<std::size_t>(part);
    }
    bytes.resize(read);
    return bytes;
  }

 private:
  int file_;
  struct ::stat status_{};
};

/// Holds the folder's lock, or does not if another process keeps it or the folder cannot be
/// written. The system releases it when its process dies.
class CacheFiles::Lock {
 public:
  explicit Lock(const fs::path& folder)
      : file_(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode)) {
    constexpr int kTries = 1000;
    for (int i = 0; file_ >= 0 && !held_ && i < kTries; ++i) {
      held_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
      if (!held_ && errno != EWOULDBLOCK && errno != EINTR) return;
      if (!held_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ~Lock() {
    if (file_ >= 0) ::close(file_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

CacheFiles& CacheFiles::of(const fs::path& folder, std::size_t most_bytes) {
  static std::mutex mutex;
  // Never destroyed: a device may close after the statics are gone.
  static auto& all = *new std::map<std::pair<fs::path, std::size_t>, CacheFiles>;
  const std::lock_guard lock(mutex);
  return all.try_emplace({folder, most_bytes}, folder, most_bytes).first->second;
}

std::optional<std::string> CacheFiles::find(std::string_view identity) {
  const std::lock_guard guard(mutex_);
  if (auto text = known(identity)) return text;
  refresh();
  return known(identity);
}

void CacheFiles::keep(std::string_view identity, std::string_view text) {
  const std::lock_guard guard(mutex_);
  std::error_code failed;
  fs::create_directories(folder_, failed);
  append(identity, text);
}

std::optional<std::string> CacheFiles::known(std::string_view identity) {
  if (const auto text = recent_.texts.find(identity); text != recent_.texts.end()) {
    return text->second;
  }
  const auto text = earlier_.texts.find(identity);
  if (text == earlier_.texts.end()) return std::nullopt;
  std::string found = text->second;
  append(identity, found);  // as used
  return found;
}

void CacheFiles::refresh() {
  bool whole = refresh(recent_);
  whole &= refresh(earlier_);
  if (whole) return;
  // A record that another process is writing is whole once this one has the lock.
  const Lock lock(folder_);
  if (!lock.held()) return;
  for (File* file : {&recent_, &earlier_}) {
    if (!refresh(*file)) repair(*file);
  }
}

bool CacheFiles::refresh(File& file) {
  const OpenFile open(folder_ / file.name);
  const bool is_same = open.device() == file.device && open.number() == file.number;
  if (!is_same || open.size() < file.bytes) file = {.name = file.name};
  file.device = open.device();
  file.number = open.number();
  // A number may be that of a file that is gone; then what is read is no record, but all of it is.
  if (file.bytes != 0 && !read_on(file, open)) file.bytes = 0;
  return file.bytes != 0 || read_on(file, open);
}

bool CacheFiles::read_on(File& file, const OpenFile& open) {
  const std::string bytes = open.bytes_from(file.bytes);
  const ReadRecords read =
      read_records(bytes, [&](std::string_view identity, std::string_view text) {
        file.texts.insert_or_assign(std::string(identity), std::string(text));
      });
  if (read.damaged != 0) return false;
  file.bytes += read.end;
  return read.end == bytes.size();
}

void CacheFiles::repair(File& file) {
  const fs::path path = folder_ / file.name;
  const std::string bytes = OpenFile(path).bytes_from(0);
  std::string whole;
  read_records(bytes, [&](std::string_view identity, std::string_view text) {
    whole += record_of(identity, text);
  });
  if (whole.size() == bytes.size()) return;
  const fs::path next = folder_ / "next.txt";
  const int written = ::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (written < 0) return;
  bool done = write_all(written, whole);
  done &= ::close(written) == 0;
  std::error_code failed;
  if (done) fs::rename(next, path, failed);
  if (!done || failed) {
    fs::remove(next, failed);
    return;
  }
  fmt::print(stderr, "systole: {} had {} bytes that are no entry; they were removed\n",
             path.string(), bytes.size() - whole.size());
  refresh(file);
}

void CacheFiles::append(std::string_view identity, std::string_view text) {
  const std::string record = record_of(identity, text);
  if (record.size() > most_bytes_ / 2) return;
  const Lock lock(folder_);
  if (!lock.held()) return;
  for (File* file : {&recent_, &earlier_}) {
    if (!refresh(*file)) repair(*file);
  }
  if (const auto kept = recent_.texts.find(identity);
      kept != recent_.texts.end() && kept->second == text) {
    return;
  }
  std::error_code failed;
  if (recent_.bytes + record.size() > most_bytes_ / 2) {
    fs::rename(folder_ / recent_.name, folder_ / earlier_.name, failed);
    if (failed) return;
    refresh(recent_);
    refresh(earlier_);
  }
  const fs::path path = folder_ / recent_.name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kMode);
  if (file < 0) return;
  const ::off_t before = ::lseek(file, 0, SEEK_END);
  // A part of a record does not stay; where it does, the file is repaired.
  if (!write_all(file, record)) std::ignore = ::ftruncate(file, before);
  ::close(file);
  refresh(recent_);
}

}  // namespace systole
