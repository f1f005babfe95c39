#include "host/graph/checksum.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

namespace systole {
namespace {

std::string hex_of(std::string_view text) {
  Checksum checksum;
  checksum.add(std::span(text.data(), text.size()));
  return checksum.hex();
}

}  // namespace

TEST_CASE("the checksum is the published 64-bit FNV-1a", "[checksum]") {
  CHECK(hex_of("") == "cbf29ce484222325");
  CHECK(hex_of("a") == "af63dc4c8601ec8c");
  CHECK(hex_of("foobar") == "85944171f73967e8");
}

TEST_CASE("a checksum of parts is that of the whole", "[checksum]") {
  const std::vector<float> values{1.0F, -0.0F, 3.5F};
  Checksum whole;
  whole.add(std::span<const float>(values));
  Checksum parts;
  parts.add(std::span<const float>(values).first(1));
  parts.add(std::span<const float>(values).subspan(1));
  CHECK(parts.value() == whole.value());
}

TEST_CASE("a checksum distinguishes bits that compare equal", "[checksum]") {
  Checksum plus;
  Checksum minus;
  plus.add(std::span<const float>(std::vector<float>{0.0F}));
  minus.add(std::span<const float>(std::vector<float>{-0.0F}));
  CHECK(plus.value() != minus.value());
}

}  // namespace systole
