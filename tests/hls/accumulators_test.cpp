// The accumulators as native C++ against a plain memory, under random sums, preloads and reads that
// keep the distances which the kernel asks for.

#include "hls/kernels/accumulators.h"

#include <catch2/catch.hpp>
#include <deque>
#include <optional>
#include <vector>

#include "hls/reference/mac.h"
#include "tests/support/arithmetic_cases.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;

constexpr std::uint64_t kSeed = 0x5eed'0011;
constexpr int kLanes = 3;
constexpr int kBankRows = 4;  // few, so that operations meet in the same rows
constexpr int kRows = 2 * kBankRows;
constexpr int kClocks = 40'000;

using Totals = kernels::Accumulators<kLanes, kBankRows>;
using Line = std::vector<std::uint32_t>;

bool bank(int row) { return row >= kBankRows; }

Line random_line(Random& random) {
  Line line;
  for (int n = 0; n < kLanes; ++n) line.push_back(random_add_case(random).tile_sum);
  return line;
}

Vec<UInt32, kLanes> to_lanes(const Line& line) {
  Vec<UInt32, kLanes> lanes;
  for (int n = 0; n < kLanes; ++n) lanes[n] = UInt32::from(line[static_cast<std::size_t>(n)]);
  return lanes;
}

std::uint32_t add(bool is_int8, std::uint32_t total, std::uint32_t sum) {
  if (!is_int8) return reference::add_fp32(total, sum);
  return static_cast<std::uint32_t>(
      reference::add_int32(static_cast<std::int32_t>(total), static_cast<std::int32_t>(sum)));
}

// Draws inputs that keep the limits, and applies them at once to a plain memory.
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random_(seed) {}

  Totals::Inputs next() {
    Totals::Inputs in;
    draw_read(in);  // before the sum of this clock: a read sees only what is in its row
    draw_sum(in);
    draw_preload(in);
    sum_banks_.push_front(in.sum_valid ? std::optional(bank(sum_row_)) : std::nullopt);
    sum_banks_.resize(Totals::kWriteCycles);
    ++clock_;
    return in;
  }

  /// What leaves at the clock just drawn, if anything.
  std::optional<Line> expected() {
    reads_.push_back(read_now_);
    if (reads_.size() <= static_cast<std::size_t>(Totals::kReadCycles)) return std::nullopt;
    const auto line = reads_.front();
    reads_.pop_front();
    return line;
  }

 private:
  bool settled(int row) const { return clock_ - last_sum_[row] >= Totals::kLoopCycles; }
  int draw_row() { return static_cast<int>(random_.below(kRows)); }

  void draw_read(Totals::Inputs& in) {
    const int row = draw_row();
    read_now_.reset();
    read_row_ = row;
    in.read_row = Totals::Row::from(static_cast<unsigned>(row));
    if (random_.below(2) == 0 || !settled(row)) return;
    in.read_valid = UInt1(1);
    read_now_ = memory_[static_cast<std::size_t>(row)];
  }

  void draw_sum(Totals::Inputs& in) {
    const int row = draw_row();
    const bool accumulate = random_.below(4) != 0;
    const bool is_int8 = random_.below(3) == 0;
    const Line line = random_line(random_);
    sum_row_ = row;
    in.sum_row = Totals::Row::from(static_cast<unsigned>(row));
    in.accumulate = as_bit(accumulate);
    in.is_int8 = as_bit(is_int8);
    in.sum = to_lanes(line);
    const bool bank_taken = read_now_ && bank(read_row_) == bank(row);
    if (random_.below(4) == 0 || (accumulate && (!settled(row) || bank_taken))) return;
    in.sum_valid = UInt1(1);
    last_sum_[row] = clock_;
    for (std::size_t n = 0; n < kLanes; ++n) {
      std::uint32_t& total = memory_[static_cast<std::size_t>(row)][n];
      total = accumulate ? add(is_int8, total, line[n]) : line[n];
    }
  }

  void draw_preload(Totals::Inputs& in) {
    const int row = draw_row();
    const Line line = random_line(random_);
    in.preload_row = Totals::Row::from(static_cast<unsigned>(row));
    in.preload = to_lanes(line);
    const bool written_now =
        sum_banks_.size() == Totals::kWriteCycles && sum_banks_.back() == std::optional(bank(row));
    if (random_.below(3) != 0 || !settled(row) || written_now) return;
    in.preload_valid = UInt1(1);
    memory_[static_cast<std::size_t>(row)] = line;
  }

  Random random_;
  int clock_ = 0;
  int last_sum_[kRows] = {-100, -100, -100, -100, -100, -100, -100, -100};
  std::vector<Line> memory_ = std::vector<Line>(kRows, Line(kLanes, 0));
  std::deque<std::optional<bool>> sum_banks_;
  std::deque<std::optional<Line>> reads_;
  std::optional<Line> read_now_;
  int read_row_ = 0;
  int sum_row_ = 0;
};

TEST_CASE("accumulators match a plain memory under random sums, preloads and reads",
          "[accumulators]") {
  INFO("seed " << kSeed);
  Totals totals;
  totals.reset();
  Bench bench(kSeed);
  int wrong = 0;
  int results = 0;
  for (int clock = 0; clock < kClocks; ++clock) {
    const Totals::Inputs in = bench.next();
    const auto expected = bench.expected();
    const auto out = totals.clock(in);
    wrong += static_cast<bool>(out.result_valid) != expected.has_value();
    if (!expected) continue;
    ++results;
    for (int n = 0; n < kLanes; ++n) {
      wrong += out.result[n].value() != (*expected)[static_cast<std::size_t>(n)];
    }
  }
  CHECK(wrong == 0);
  CHECK(results > kClocks / 10);
}

}  // namespace
}  // namespace systole::tests
