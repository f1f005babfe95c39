#include "host/cli/json_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "host/report/whole_file.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw std::runtime_error(
      fmt::format("cannot write {}: {}; choose another --json file", path.string(), reason));
}

void write_text(const fs::path& path, const fs::path& shown, const std::string& text) {
  errno = 0;
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (stream) stream << text;
  stream.close();
  if (!stream) refuse(shown, errno != 0 ? std::strerror(errno) : "the write failed");
}

}  // namespace

JsonFile::JsonFile(const std::string& path) : path_(path) {
  if (path_.empty()) return;
  std::error_code error;
  const fs::path resolved = fs::weakly_canonical(path_, error);
  if (!error) path_ = resolved;  // so that the rename replaces a link's target, not the link
  const fs::file_status status = fs::status(path_, error);
  if (fs::is_directory(status)) refuse(path_, "it is a directory");
  direct_ = fs::exists(status) && !fs::is_regular_file(status);
  if (direct_) return;
  // Access bits do not tell (root, full or read-only file systems), so try.
  write_text(TemporaryFile(path_).path, path_, "\n");
}

void JsonFile::write(const nlohmann::ordered_json& value) const {
  if (path_.empty()) return;
  const std::string text = value.dump(2) + "\n";
  if (direct_) {
    write_text(path_, path_, text);
    return;
  }
  const TemporaryFile temporary(path_);
  write_text(temporary.path, path_, text);
  fs::rename(temporary.path, path_);
}

}  // namespace systole
