#include "host/energy/energy_table.h"

#include <catch2/catch.hpp>
#include <stdexcept>

namespace systole::energy {
namespace {

Table table_of(const std::string& process, int array_size = 16) {
  return make_table({.process = process}, array_size);
}

}  // namespace

TEST_CASE("published numbers stand as published, and each number has a source", "[energy]") {
  const Table large = table_of("45 nm"), small = table_of("7 nm");
  CHECK(large[Cost::kMultiplyFp32].picojoules == 3.7);
  CHECK(large[Cost::kAddFp32].picojoules == 0.9);
  CHECK(large[Cost::kSram1MiB].picojoules == 100);
  CHECK(small[Cost::kMultiplyBf16].picojoules == 0.21);
  CHECK(small[Cost::kAddFp32].picojoules == 0.38);
  CHECK(small[Cost::kSram8KiB].picojoules == 7.5);
  CHECK(make_table({.process = "7 nm", .memory = "HBM2"}, 16)[Cost::kMemory].picojoules == 350);
  for (const std::string& process : processes()) {
    const Table table = table_of(process);
    CHECK(table.process == process);
    CHECK(!table.static_source.empty());
    for (const Number& number : table.numbers) {
      CHECK(number.picojoules > 0);
      CHECK(!number.source.empty());
    }
  }
}

TEST_CASE("numbers that nobody published are marked as scaled", "[energy]") {
  const Table large = table_of("45 nm"), middle = table_of("16 nm"), small = table_of("7 nm");
  for (std::size_t i = 0; i < kCosts; ++i) {
    const auto which = static_cast<Cost>(i);
    INFO(kCostNames[i]);
    CHECK(large[which].is_scaled == (which == Cost::kMultiplyBf16));
    CHECK(middle[which].is_scaled == (which < Cost::kMemory));
    CHECK_FALSE(small[which].is_scaled);
    CHECK(middle[which].picojoules <= large[which].picojoules);
    CHECK(middle[which].picojoules >= small[which].picojoules);
  }
}

TEST_CASE("an SRAM of a published size has its published energy, and a larger one more",
          "[energy]") {
  const Table table = table_of("45 nm");
  CHECK(table.sram(1024) == 10);
  CHECK(table.sram(8 * 1024) == 10);
  CHECK(table.sram(32 * 1024) == Approx(20));
  CHECK(table.sram(1024 * 1024) == Approx(100));
  CHECK(table.sram(16 * 1024) == Approx(10 * std::sqrt(2.0)));
  CHECK(table.sram(2048 * 1024) > 100);
}

TEST_CASE("static power follows the elements, and a configuration's own replaces it", "[energy]") {
  CHECK(table_of("7 nm", 128).static_watts == Approx(26.5));
  CHECK(table_of("7 nm", 16).static_watts == Approx(26.5 / 64));
  const Table own = make_table({.static_watts = 3, .static_source = "a meter"}, 16);
  CHECK(own.static_watts == 3);
  CHECK(own.static_source == "a meter");
}

TEST_CASE("a configuration's own numbers replace the table's with their source", "[energy]") {
  const Table table =
      make_table({.picojoules = {{"multiply_bf16", 2.5}}, .source = "scripts/silicon"}, 16);
  CHECK(table[Cost::kMultiplyBf16].picojoules == 2.5);
  CHECK(table[Cost::kMultiplyBf16].source == "scripts/silicon");
  CHECK_FALSE(table[Cost::kMultiplyBf16].is_scaled);
  CHECK(table[Cost::kAddFp32].picojoules == 0.9);
}

TEST_CASE("an energy table refuses unknown names and lists the known ones", "[energy]") {
  CHECK_THROWS_WITH(make_table({.process = "28 nm"}, 16),
                    "unknown process \"28 nm\" of an energy table: choose from 45 nm, 16 nm, 7 nm");
  CHECK_THROWS_WITH(make_table({.memory = "SRAM"}, 16),
                    "unknown memory \"SRAM\" of an energy table: choose from DDR4, HBM2");
  CHECK_THROWS_WITH(make_table({.picojoules = {{"divide", 1}}}, 16),
                    Catch::Contains("unknown number \"divide\"") &&
                        Catch::Contains("multiply_int8, multiply_int32, multiply_bf16"));
}

}  // namespace systole::energy
