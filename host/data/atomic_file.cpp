#include "host/data/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>
#include <string>

namespace systole {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), reason));
}

// Beside the target, so that the rename stays within one file system.
std::string temporary_prefix(const fs::path& path) {
  return fmt::format(".{}.partial-", path.filename().string());
}

// A new file that vanishes unless it is renamed.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : target_(target),
        path_(target.parent_path() / fmt::format("{}{}", temporary_prefix(target), getpid())),
        file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) refuse(target_, std::strerror(errno));
  }
  ~TemporaryFile() {
    if (file_ >= 0) close(file_);
    if (!renamed_) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::write(file_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) refuse(target_, std::strerror(count < 0 ? errno : ENOSPC));
      bytes = bytes.subspan(count);
    }
    if (fsync(file_) != 0) refuse(target_, std::strerror(errno));
    const int file = file_;
    file_ = -1;
    if (close(file) != 0) refuse(target_, std::strerror(errno));
  }

  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) refuse(target_, std::strerror(errno));
    renamed_ = true;
  }

 private:
  fs::path target_, path_;
  int file_;
  bool renamed_ = false;
};

// So that the rename itself outlives a power cut. Not every file system knows how: best effort.
void sync_folder(const fs::path& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  close(file);
}

void remove_leftovers(const fs::path& path) {
  const std::string prefix = temporary_prefix(path);
  std::error_code error;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    int pid = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + prefix.size(), end, pid);
    const bool is_gone = parsed.ptr == end && pid > 0 && kill(pid, 0) != 0 && errno == ESRCH;
    if (is_gone) fs::remove(entry.path(), error);
  }
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  const fs::path& chosen = error ? path : target;
  if (chosen.filename().empty() || fs::is_directory(chosen, error)) {
    refuse(path, "it is a directory");
  }
  if (fs::exists(chosen, error) && !fs::is_regular_file(chosen, error)) {
    refuse(path, "it is not a file");
  }
  return chosen;
}

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

void write_file_atomically(const fs::path& path, std::span<const std::uint8_t> bytes) {
  const fs::path target = resolved(path);
  remove_leftovers(target);
  TemporaryFile file(target);
  file.write(bytes);
  file.rename_to_target();
  sync_folder(target.parent_path());
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  write_file_atomically(path, as_bytes(text));
}

// Access bits do not tell (root, full or read-only file systems), so try.
void need_writable(const fs::path& path) { TemporaryFile(resolved(path)).write(as_bytes("\n")); }

}  // namespace systole
