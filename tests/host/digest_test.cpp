#include "host/device/digest.h"

#include <catch2/catch.hpp>
#include <vector>

namespace systole {
namespace {

std::vector<std::byte> counting(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
  return bytes;
}

}  // namespace

// As `b2sum -l 256` and Python's hashlib.blake2b(..., digest_size=32) print them.
TEST_CASE("a digest equals BLAKE2b with 256 bits", "[digest]") {
  CHECK(Digest().hex() == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  CHECK(Digest().add("abc").hex() ==
        "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  CHECK(Digest().add(counting(300)).hex() ==
        "3a486e3fe3ee414853000269ac020030aeef748cb05cd62ba85939ec298ef25c");
}

TEST_CASE("a digest does not depend on how bytes were added", "[digest]") {
  const auto bytes = counting(517);
  const std::span<const std::byte> all(bytes);
  const std::string whole = Digest().add(all).hex();
  for (const std::size_t cut : {0u, 1u, 127u, 128u, 129u, 256u, 384u, 516u, 517u}) {
    INFO("cut at " << cut);
    CHECK(Digest().add(all.first(cut)).add(all.subspan(cut)).hex() == whole);
  }
}

TEST_CASE("a digest changes with every bit", "[digest]") {
  auto bytes = counting(129);
  const std::string before = Digest().add(bytes).hex();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
    CHECK(Digest().add(bytes).hex() != before);
    bytes[bit / 8] ^= std::byte{1} << bit % 8;
  }
}

}  // namespace systole
