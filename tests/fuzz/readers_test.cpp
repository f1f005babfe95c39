// Every reader of foreign bytes against damaged inputs: each refuses in its documented way, or
// reads. scripts/fuzz looks for more with a coverage-guided fuzzer, and keeps what it finds here.
#include "tests/fuzz/readers.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "host/data/file_bytes.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kSeed = 1;
constexpr int kDamagedInputs = 400;

/// A few bytes changed, removed, repeated or added.
Bytes damaged(Bytes bytes, Random& random) {
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(bytes.size() + 1));
    const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto byte = static_cast<std::uint8_t>(random.below(256));
    switch (random.below(5)) {
      case 0:
        bytes.insert(place, byte);
        break;
      case 1:
        bytes.resize(at);
        break;
      case 2:
        if (at < bytes.size()) bytes.erase(place);
        break;
      case 3:
        if (at < bytes.size()) bytes[at] = byte;
        break;
      default:
        if (at < bytes.size())
          bytes[at] = static_cast<std::uint8_t>(1 << random.below(8) ^ bytes[at]);
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("every reader accepts its seeds", "[fuzz]") {
  for (const Reader& reader : readers()) {
    for (const Bytes& seed : reader.seeds()) {
      INFO(reader.name);
      CHECK(reader.accepts(seed));
    }
  }
}

TEST_CASE("every reader refuses or reads damaged inputs, and nothing else", "[fuzz]") {
  for (const Reader& reader : readers()) {
    Random random(kSeed);
    for (const Bytes& seed : reader.seeds()) {
      for (int i = 0; i < kDamagedInputs; ++i) {
        INFO(reader.name << ", seed " << kSeed << ", input " << i);
        CHECK_NOTHROW(reader.accepts(damaged(seed, random)));
      }
    }
  }
}

TEST_CASE("every reader takes what the fuzzer once found", "[fuzz]") {
  for (const Reader& reader : readers()) {
    const auto folder = std::filesystem::path(SYSTOLE_FUZZ_CORPUS) / reader.name;
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      INFO(file.path());
      CHECK_NOTHROW(reader.accepts(read_plain_file(file.path())));
    }
  }
}

}  // namespace systole::tests
