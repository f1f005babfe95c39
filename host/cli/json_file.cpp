#include "host/cli/json_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <system_error>

#include "host/data/atomic_file.h"

namespace systole {
namespace {

namespace fs = std::filesystem;

// Does what may fail, and then says what to do about it.
template <typename Action>
void advise(Action action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}; choose another --json file", error.what()));
  }
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
  direct_ = fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  if (!direct_) advise([&] { need_writable(path_); });
}

void JsonFile::write(const nlohmann::ordered_json& value) const {
  if (path_.empty()) return;
  const std::string text = value.dump(2) + "\n";
  advise([&] { direct_ ? write_directly(path_, text) : write_file_atomically(path_, text); });
}

}  // namespace systole
