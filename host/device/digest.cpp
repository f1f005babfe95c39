#include "host/device/digest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace systole {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie");

constexpr std::array<std::uint64_t, 8> kInitial = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

constexpr int kRounds = 12;
constexpr std::uint8_t kOrder[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                         {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                         {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                         {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                         {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                         {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                         {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                         {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                         {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

}  // namespace

Digest::Digest() : state_(kInitial) {
  state_[0] ^= 0x01010000 ^ kBytes;  // no key, one lane, kBytes of output
}

Digest& Digest::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    // A full block waits: the last one is compressed differently.
    if (filled_ == kBlockBytes) {
      compress(block_.data(), false);
      filled_ = 0;
    }
    const std::size_t taken = std::min(kBlockBytes - filled_, bytes.size());
    std::memcpy(&block_[filled_], bytes.data(), taken);
    filled_ += taken;
    bytes = bytes.subspan(taken);
  }
  return *this;
}

Digest::Value Digest::value() {
  std::fill(block_.begin() + static_cast<std::ptrdiff_t>(filled_), block_.end(), std::byte{0});
  compress(block_.data(), true);
  Value value;
  std::memcpy(value.data(), state_.data(), kBytes);
  return value;
}

std::string Digest::hex() { return fmt::format("{:02x}", fmt::join(value(), "")); }

void Digest::compress(const std::byte* block, bool last) {
  counted_ += last ? filled_ : kBlockBytes;
  std::array<std::uint64_t, 16> m;
  std::memcpy(m.data(), block, kBlockBytes);
  std::array<std::uint64_t, 16> v;
  std::ranges::copy(state_, v.begin());
  std::ranges::copy(kInitial, v.begin() + 8);
  v[12] ^= counted_;
  if (last) v[14] = ~v[14];

  const auto mix = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d, std::uint64_t x,
                       std::uint64_t y) {
    v[a] += v[b] + x;
    v[d] = std::rotr(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = std::rotr(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = std::rotr(v[b] ^ v[c], 63);
  };
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const auto& s = kOrder[round % 10];
    mix(0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (std::size_t i = 0; i < state_.size(); ++i) state_[i] ^= v[i] ^ v[i + 8];
}

}  // namespace systole
