#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace systole {

/// A 64-bit FNV-1a hash of bytes in memory order: changing any one byte changes it.
///
/// Numbers  starts at 0xcbf29ce484222325; each byte is exclusive-ored in, then the hash is
///          multiplied by 0x100000001b3 modulo 2^64
/// Source   Fowler, Noll, Vo: draft-eastlake-fnv
class Checksum {
 public:
  template <typename T>
  void add(std::span<const T> elements) {
    for (const std::byte byte : std::as_bytes(elements)) {
      hash_ = (hash_ ^ static_cast<std::uint64_t>(byte)) * 0x100'0000'01b3U;
    }
  }

  std::uint64_t value() const { return hash_; }
  /// 16 lower-case digits, as in `result_checksum`.
  std::string hex() const { return fmt::format("{:016x}", hash_); }

 private:
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325U;
};

namespace graph {

/// A text's last line has this and the digits of the checksum of all before it.
inline constexpr std::string_view kChecksumMark = "// checksum ";

inline std::string text_checksum(std::string_view text) {
  Checksum checksum;
  checksum.add(std::span(text));
  return checksum.hex();
}

}  // namespace graph
}  // namespace systole
