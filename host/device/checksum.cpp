#include "host/device/checksum.h"

#include <fmt/format.h>

namespace systole {

void Checksum::add(std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    hash_ ^= static_cast<std::uint64_t>(byte);
    hash_ *= 0x100'0000'01b3U;
  }
}

std::string Checksum::hex() const { return fmt::format("{:016x}", hash_); }

}  // namespace systole
