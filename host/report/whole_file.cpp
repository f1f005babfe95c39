#include "host/report/whole_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace systole {
namespace {

namespace fs = std::filesystem;

void write_text(const fs::path& path, const fs::path& shown, const std::string& text) {
  if (fs::is_directory(shown)) {
    throw std::runtime_error(
        fmt::format("cannot write {}: it is a folder; choose another place", shown.string()));
  }
  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (stream) stream << text;
  stream.close();
  if (stream) return;
  throw std::runtime_error(fmt::format("cannot write {}: {}; choose another place", shown.string(),
                                       errno != 0 ? std::strerror(errno) : "the write failed"));
}

}  // namespace

TemporaryFile::TemporaryFile(const fs::path& target)
    : path(target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), getpid())) {
}

TemporaryFile::~TemporaryFile() {
  std::error_code error;
  fs::remove(path, error);
}

void write_whole(const fs::path& target, const std::string& text) {
  const TemporaryFile temporary(target);
  write_text(temporary.path, target, text);
  fs::rename(temporary.path, target);
}

void require_writable(const fs::path& target) {
  write_text(TemporaryFile(target).path, target, "\n");
}

}  // namespace systole
