#pragma once

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace systole {

/// A JSON file, written completely or not at all.
///
/// Limits   an empty path writes nothing; a device, or the file of standard output (/dev/stdout),
///          is written directly
/// Timing   the constructor checks that the file can be written, before any work is done for it
/// Errors   std::runtime_error naming the path, from both; an existing file then stays
class JsonFile {
 public:
  explicit JsonFile(const std::string& path);

  /// Writes a temporary file next to the target and renames it. Keys stay in order of insertion.
  void write(const nlohmann::ordered_json& value) const;

 private:
  std::filesystem::path path_;
  bool direct_ = false;
  std::FILE* stream_ = nullptr;  ///< standard output or error, if the path is its file
};

}  // namespace systole
