#pragma once

#include <cstdint>
#include <string_view>

namespace systole::graph {

/// FNV-1a: changing any one byte changes it.
inline std::uint64_t text_checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

/// What precedes the number on its line.
inline constexpr std::string_view kChecksumMark = "// checksum ";

}  // namespace systole::graph
