#include "host/compiler/schedule/program_cache.h"

#include <catch2/catch.hpp>
#include <vector>

namespace systole {
namespace {

CachedProgram program(std::uint64_t address, std::size_t commands) {
  return {.products = {{.a = address, .rows = 1, .depth = 1, .cols = 1}},
          .commands = std::vector<device::CommandWord>(commands),
          .ring = address};
}

std::vector<Product> products(std::uint64_t address) { return program(address, 0).products; }

}  // namespace

TEST_CASE("a program is found by all its products", "[program_cache]") {
  ProgramCache cache(100, [](const CachedProgram&) {});
  cache.add(program(16, 5));
  REQUIRE(cache.find(products(16)) != nullptr);
  CHECK(cache.find(products(16))->commands.size() == 5);
  CHECK(cache.find(products(32)) == nullptr);
  std::vector<Product> longer = products(16);
  longer.push_back(longer[0]);
  CHECK(cache.find(longer) == nullptr);
}

TEST_CASE("a change to any field of a product makes another program", "[program_cache]") {
  const std::vector<Product> base = products(16);
  const auto differs = [&](auto change) {
    std::vector<Product> changed = base;
    change(changed[0]);
    return !(changed == base) && hash_of(changed) != hash_of(base);
  };
  CHECK(differs([](Product& p) { p.b = 1; }));
  CHECK(differs([](Product& p) { p.bias = 1; }));
  CHECK(differs([](Product& p) { p.mask = 1; }));
  CHECK(differs([](Product& p) { p.column_sums = 1; }));
  CHECK(differs([](Product& p) { p.depth = 2; }));
  CHECK(differs([](Product& p) { p.type = DataType::kInt8; }));
  CHECK(differs([](Product& p) { p.mask_type = DataType::kInt8; }));
  CHECK(differs([](Product& p) { p.transpose_a = true; }));
  CHECK(differs([](Product& p) { p.transpose_b = true; }));
  CHECK(differs([](Product& p) { p.accumulate = true; }));
  CHECK(differs([](Product& p) { p.relu = true; }));
  CHECK(differs([](Product& p) { p.format = device::StoreFormat::kBf16; }));
  CHECK(differs([](Product& p) { p.seed = 3; }));
}

TEST_CASE("the least recently used program is evicted, and every ring is freed once",
          "[program_cache]") {
  std::vector<std::uint64_t> dropped;
  {
    ProgramCache cache(10, [&](const CachedProgram& old) { dropped.push_back(old.ring); });
    cache.add(program(1, 4));
    cache.add(program(2, 4));
    cache.find(products(1));
    cache.add(program(3, 4));
    CHECK(dropped == std::vector<std::uint64_t>{2});
    CHECK(cache.find(products(2)) == nullptr);
    CHECK(cache.find(products(1)) != nullptr);
    cache.add(program(4, 1000));  // longer than the limit: it is kept alone
    CHECK(cache.size() == 1);
    CHECK(cache.find(products(4)) != nullptr);
  }
  CHECK(dropped == std::vector<std::uint64_t>{2, 3, 1, 4});
}

}  // namespace systole
