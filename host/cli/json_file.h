#pragma once

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace systole {

/// A JSON file that is there whole or not at all.
///
/// Timing   the constructor proves that the file can be written, before any work is done for it
/// Limits   an empty path writes nothing; a device, or what standard output goes to
///          (/dev/stdout), is written directly
/// Errors   std::runtime_error naming the path, from both; what was at the path before stays then
class JsonFile {
 public:
  explicit JsonFile(const std::string& path);

  /// Writes beside the target and renames. Keys keep the order in which they were added.
  void write(const nlohmann::ordered_json& value) const;

 private:
  std::filesystem::path path_;
  bool direct_ = false;
  std::FILE* stream_ = nullptr;  ///< standard output or error, where the path is its file
};

}  // namespace systole
