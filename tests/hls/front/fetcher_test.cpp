// The fetcher's commands, beat by beat.

#include "hls/kernels/fetcher.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

namespace systole::tests {
namespace {

using namespace systole::kernels;

constexpr std::uint64_t kBase = 0x1000;

/// Fetches commands from a memory whose byte at address a is a's low byte, and which answers with
/// an error at the beats that it is told.
template <int kN>
class Bench {
 public:
  static constexpr int kBeats = std::max(1, 16 / kN);

  explicit Bench(unsigned commands) {
    fetcher_.reset();
    set_ring(4, commands);
    in_.windows[0] = {.base = Address(kBase), .end = Address(kBase + 256), .open = UInt1(1)};
  }

  void set_ring(unsigned log2, unsigned tail) {
    in_.ring = {
        .base = Address(kBase), .log2 = RingLog2::from(log2), .tail = CommandIndex::from(tail)};
    in_.windows[0].end = Address::from(kBase + (std::uint64_t{16} << log2));
  }
  void set_head(unsigned head) { in_.head = CommandIndex::from(head); }
  void stop() { in_.stop = UInt1(1); }
  /// In the next clock, as a reset does at its end.
  void clear() {
    in_.stop = UInt1(0);
    in_.clear = UInt1(1);
  }
  void run() { in_.clear = UInt1(0); }
  EngineFault clock() {
    fetcher_.clock(in_);
    return fetcher_.outputs().fault;
  }

  /// Answers the next burst, `error(beat)` in its beats, and returns the fault that it raises.
  template <typename Error>
  std::optional<EngineFault> answer(Error error) {
    // Its address, and its window, before it is offered.
    for (int i = 0; i < 3 && !fetcher_.outputs().burst.valid; ++i) fetcher_.clock(in_);
    REQUIRE(fetcher_.outputs().burst.valid);
    const std::uint64_t address = fetcher_.outputs().burst.data.address.value();
    in_.burst_ready = UInt1(1);
    fetcher_.clock(in_);
    in_.burst_ready = UInt1(0);
    std::optional<EngineFault> fault;
    for (int beat = 0; beat < kBeats; ++beat) {
      typename Fetcher<kN>::Inputs in = in_;
      in.read_valid = UInt1(1);
      in.read_error = as_bit(error(beat));
      in.read_last = as_bit(beat == kBeats - 1);
      const std::uint64_t first = (address & ~std::uint64_t{kN - 1}) + kN * beat;
      for (int i = 0; i < kN; ++i) in.read_data[i] = UInt8::from((first + i) & 255);
      fetcher_.clock(in);
      if (fetcher_.outputs().fault.raised) fault = fetcher_.outputs().fault;
    }
    return fault;
  }

  /// The command that waits, if one does; it is taken.
  std::optional<Command> take() {
    const auto shown = fetcher_.outputs().command;
    if (!shown.valid) return std::nullopt;
    auto in = in_;
    in.command_ready = UInt1(1);
    fetcher_.clock(in);
    return shown.data;
  }

  bool idle() const { return static_cast<bool>(fetcher_.outputs().idle); }

 private:
  Fetcher<kN> fetcher_;
  typename Fetcher<kN>::Inputs in_;
};

/// The bytes that the memory has for the command of this index.
CommandWord::Raw word_at(int index) {
  CommandWord::Raw word = 0;
  for (int i = 15; i >= 0; --i) word = word << 8 | static_cast<unsigned>((16 * index + i) & 255);
  return word;
}

template <int kN>
void check_errors_on_every_beat() {
  for (unsigned errors = 1; errors < 1U << Bench<kN>::kBeats; ++errors) {
    INFO("N = " << kN << ", errors on beats " << errors);
    Bench<kN> bench(3);
    CHECK_FALSE(bench.answer([](int) { return false; }));
    const auto fault = bench.answer([&](int beat) { return (errors >> beat & 1) != 0; });
    REQUIRE(fault);
    CHECK(fault->code.value() == kFaultReadError);
    CHECK(fault->command.value() == 1);
    CHECK(fault->address.value() == kBase + 16);
    // The command that failed never shows; those around it do.
    CHECK_FALSE(bench.answer([](int) { return false; }));
    for (const int index : {0, 2}) {
      const auto command = bench.take();
      REQUIRE(command);
      CHECK(command->index.value() == static_cast<unsigned>(index));
      CHECK(command->word.raw() == word_at(index));
    }
    CHECK_FALSE(bench.take());
    CHECK(bench.idle());
  }
}

TEST_CASE("an error on any beat of a command spoils that command alone", "[fetcher]") {
  check_errors_on_every_beat<4>();
  check_errors_on_every_beat<8>();
  check_errors_on_every_beat<16>();
  check_errors_on_every_beat<32>();
}

TEST_CASE("a ring of 2^23 commands is fetched round and round", "[fetcher]") {
  constexpr unsigned kLength = 1U << 23, kIndices = 1U << 24;
  Bench<16> bench(0);
  std::uint64_t wrong = 0;
  for (unsigned count = 0; count < kIndices + kLength / 2; ++count) {
    const unsigned index = count % kIndices;
    bench.set_head(index);
    bench.set_ring(23, (index + kLength) % kIndices);  // always full
    const auto fault = bench.answer([](int) { return false; });
    const auto command = bench.take();
    wrong += fault || !command || command->index.value() != index ||
             command->word.raw() != word_at(static_cast<int>(index));
  }
  CHECK(wrong == 0);
}

TEST_CASE("a doorbell past the ring's length or before its head is an overrun", "[fetcher]") {
  const auto fault_at = [](unsigned log2, unsigned head, unsigned tail) {
    Bench<16> bench(0);
    bench.set_head(head);
    bench.set_ring(log2, tail);
    bench.clock();  // compares; the next one tells
    const EngineFault fault = bench.clock();
    return fault.raised && fault.code.value() == kFaultRingOverrun
               ? static_cast<int>(fault.command.value())
               : -1;
  };
  CHECK(fault_at(23, 0, 1U << 23) == -1);
  CHECK(fault_at(23, 0, (1U << 23) + 1) == 0);
  CHECK(fault_at(23, 0xff'fff0, 0x7f'fff0) == -1);  // full, over the end of the index
  CHECK(fault_at(23, 0xff'fff0, 0x7f'fff1) == 0xff'fff0);
  CHECK(fault_at(3, 70'000, 70'008) == -1);
  CHECK(fault_at(3, 70'000, 70'009) == 70'000);
  CHECK(fault_at(3, 70'000, 69'999) == 70'000);
}

TEST_CASE("an overrun is not told again after the reset that drops its tail", "[fetcher]") {
  const auto is_told = [](Bench<16>& bench) {
    bench.clock();
    return static_cast<bool>(bench.clock().raised);
  };
  Bench<16> bench(0);
  bench.set_ring(3, 9);
  REQUIRE(is_told(bench));
  bench.stop();
  for (int i = 0; i < 3; ++i) CHECK_FALSE(bench.clock().raised);
  bench.clear();
  CHECK_FALSE(bench.clock().raised);
  bench.set_ring(3, 0);  // as the registers do at the same edge
  bench.run();
  for (int i = 0; i < 4; ++i) CHECK_FALSE(bench.clock().raised);
  CHECK(bench.idle());
  // It still tells the next one, and fetches.
  bench.set_ring(3, 9);
  CHECK(is_told(bench));
  bench.clear();
  bench.clock();
  bench.run();
  bench.set_ring(3, 1);
  CHECK_FALSE(bench.answer([](int) { return false; }));
  const auto command = bench.take();
  REQUIRE(command);
  CHECK(command->index.value() == 0);
}

}  // namespace
}  // namespace systole::tests
