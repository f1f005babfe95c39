#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/device/harness.h"
#include "sim/device/unit_timing.h"

namespace systole::bench {

/// A product of `tiles` tiles of `rows` rows, back to back in one accumulator bank, on ones.
template <typename Unit>
UnitCounters run_tiles(Unit& unit, DataType type, std::int64_t rows, std::int64_t tiles) {
  Matmul product;
  product.rows = rows;
  product.depth = tiles * Unit::kN;
  product.cols = Unit::kN;
  product.type = type;
  const MatmulSizes sizes = matmul_sizes(product);
  // bf16 0x3f80 is one; as int8 the bytes are 0x80 and 0x3f, which is as good.
  const auto ones = [](std::int64_t bytes) {
    std::vector<std::byte> operand(static_cast<std::size_t>(bytes));
    for (std::size_t i = 0; i < operand.size(); ++i) operand[i] = std::byte(i % 2 ? 0x3f : 0x80);
    return operand;
  };
  const std::vector<std::byte> a = ones(sizes.a_bytes);
  const std::vector<std::byte> b = ones(sizes.b_bytes);
  std::vector<std::uint32_t> c(static_cast<std::size_t>(rows * product.cols));
  const UnitTiming timing = unit_timing(Unit::kN);
  const Tiling tiling(rows, product.depth, product.cols, Unit::kN, timing.bank_rows);
  const PackedOperands operands(product, tiling, a, b);
  Sequencer sequencer(tiling, timing, operands, c,
                      {.is_int8 = type == DataType::kInt8, .accumulate = false});
  return run_product(unit, sequencer, timing);
}

/// Prints, for one unit: clocks of a tile of `rows` rows once the first has filled the array,
/// clocks that were lost, and simulated clocks a second of wall time.
template <typename Unit>
void back_to_back_tiles(benchmark::State& state, Unit& unit, DataType type, std::int64_t rows) {
  constexpr std::int64_t kTiles = 64;
  unit.reset();
  // Two tiles, because a job of one can be read out while its rows still enter.
  constexpr std::int64_t kFewTiles = 2;
  const UnitCounters few = run_tiles(unit, type, rows, kFewTiles);
  UnitCounters all;
  std::uint64_t clocks = 0;
  for (auto _ : state) {
    all = run_tiles(unit, type, rows, kTiles);
    clocks += all.cycles;
  }
  const double more_clocks = static_cast<double>(all.cycles - few.cycles);
  state.counters["rows"] = static_cast<double>(rows);
  state.counters["cycles_per_tile"] = more_clocks / (kTiles - kFewTiles);
  state.counters["cycles"] = static_cast<double>(all.cycles);
  state.counters["stalls"] = static_cast<double>(all.weight_stall_cycles + all.hazard_stall_cycles);
  state.counters["clocks_per_second"] =
      benchmark::Counter(static_cast<double>(clocks), benchmark::Counter::kIsRate);
}

/// Registers the rows that matter for one size: N, 2 N, 2 N + 1 and a full bank, both types.
template <typename Unit>
void register_unit(const std::string& device, Unit& unit) {
  for (const DataType type : {DataType::kBf16, DataType::kInt8}) {
    for (const int rows : {Unit::kN, 2 * Unit::kN, 2 * Unit::kN + 1, Unit::kBankRows}) {
      const std::string name = device + "/N:" + std::to_string(Unit::kN) + "/" +
                               std::string(to_string(type)) + "/rows:" + std::to_string(rows);
      benchmark::RegisterBenchmark(name.c_str(), [&unit, type, rows](benchmark::State& state) {
        back_to_back_tiles(state, unit, type, rows);
      })->MinTime(0.2);
    }
  }
}

}  // namespace systole::bench
