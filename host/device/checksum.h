#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace systole {

/// A 64-bit FNV-1a hash of bytes in memory order.
///
/// Numbers  starts at 0xcbf29ce484222325; each byte is exclusive-ored in, then the hash is
///          multiplied by 0x100000001b3 modulo 2^64
/// Source   Fowler, Noll, Vo: draft-eastlake-fnv
class Checksum {
 public:
  void add(std::span<const std::byte> bytes);
  template <typename T>
  void add(std::span<const T> elements) {
    add(std::as_bytes(elements));
  }

  std::uint64_t value() const { return hash_; }
  std::string hex() const;  ///< 16 lower-case digits, as in `result_checksum`

 private:
  std::uint64_t hash_ = 0xcbf2'9ce4'8422'2325U;
};

}  // namespace systole
