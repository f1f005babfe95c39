#include "host/cli/json_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "host/data/atomic_file.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

// Adds advice to the error of an action that may fail.
template <typename Action>
void advise(Action action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; choose another --json file", error.what()));
  }
}

// Standard output or error if the path names its file, else null: a rename would lose the text
// already printed there.
std::FILE* own_stream(const fs::path& path) {
  struct stat named = {};
  if (stat(path.c_str(), &named) != 0) return nullptr;
  for (std::FILE* stream : {stdout, stderr}) {
    struct stat own = {};
    const bool is_same = fstat(fileno(stream), &own) == 0 && own.st_dev == named.st_dev &&
                         own.st_ino == named.st_ino;
    if (is_same) return stream;
  }
  return nullptr;
}

void write_stream(std::FILE* stream, const fs::path& path, const std::string& text) {
  errno = 0;
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  if (is_written && std::fflush(stream) == 0) return;
  throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

void write_directly(const fs::path& path, const std::string& text) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary);
  if (stream) stream << text;
  stream.close();
  if (stream) return;
  throw std::runtime_error(fmt::format("cannot write {}: {}", path.string(),
                                       errno != 0 ? std::strerror(errno) : "the write failed"));
}

}  // namespace

JsonFile::JsonFile(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  stream_ = own_stream(path_);
  direct_ =
      stream_ || (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status));
  if (!direct_) advise([&] { need_writable(path_); });
}

void JsonFile::write(const nlohmann::ordered_json& value) const {
  if (path_.empty()) return;
  const std::string text = value.dump(2) + "\n";
  advise([&] {
    if (stream_) return write_stream(stream_, path_, text);
    direct_ ? write_directly(path_, text) : write_file_atomically(path_, text);
  });
}

}  // namespace systole
