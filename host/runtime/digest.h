#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace systole {

/// A 256-bit hash of bytes: BLAKE2b without a key. Two inputs with one digest are not to be found,
/// so a digest can stand for what it was made from.
///
/// Numbers  the digest that `b2sum -l 256` prints
/// Timing   about 1 GB/s
/// Source   RFC 7693
class Digest {
 public:
  static constexpr std::size_t kBytes = 32;
  using Value = std::array<std::uint8_t, kBytes>;

  Digest();

  Digest& add(std::span<const std::byte> bytes);
  Digest& add(std::string_view text) { return add(std::as_bytes(std::span(text))); }

  /// Of everything added; nothing can be added afterwards.
  Value value();
  std::string hex();  ///< 64 lower-case digits

 private:
  static constexpr std::size_t kBlockBytes = 128;

  void compress(const std::byte* block, bool last);

  std::array<std::uint64_t, 8> state_;
  std::uint64_t counted_ = 0;  // bytes that are in the state
  std::array<std::byte, kBlockBytes> block_;
  std::size_t filled_ = 0;
};

}  // namespace systole
