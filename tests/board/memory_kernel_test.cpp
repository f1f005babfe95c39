// The board's memory, natively, on a model of its chip: bursts of the accelerator and words of the
// link at random, against bytes in a map; and how many clocks they take.
#include <catch2/catch.hpp>
#include <deque>
#include <map>
#include <vector>

#include "hls/board/board_memory.h"
#include "sim/board/board_clock.h"
#include "sim/board/sdram_model.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using namespace systole::hls;
using board::kBusBytes;
using Memory = board::BoardMemory<sim::kBoardMhz>;

struct Beat {
  std::uint32_t data;
  bool error, last;
  int id;
};

/// The memory, its chip, and the accelerator's and the link's ends of its channels.
class Bench {
 public:
  Bench() {
    in.read_ready = in.response_ready = in.answer_ready = UInt1(1);
    memory_.reset();
    clocks(225 * sim::kBoardMhz);  // 225 us: the chip is initialised
    while (!beats.empty() || !answers.empty()) FAIL("an answer before a request");
  }

  void clock() {
    const auto out = memory_.outputs();
    const bool read_taken = in.read_request.valid && out.read_request_ready;
    const bool request_taken = in.write_request.valid && out.write_request_ready;
    const bool write_taken = in.write.valid && out.write_ready;
    const bool access_taken = in.access.valid && out.access_ready;
    if (out.read.valid && in.read_ready) {
      std::uint32_t data = 0;
      for (int i = 0; i < kBusBytes; ++i) {
        data |= static_cast<std::uint32_t>(out.read.data.data[i].value()) << 8 * i;
      }
      beats.push_back({data, static_cast<bool>(out.read.data.error),
                       static_cast<bool>(out.read.data.last),
                       static_cast<int>(out.read.data.id.value())});
    }
    if (out.response.valid && in.response_ready) {
      responses.push_back(static_cast<bool>(out.response.data));
    }
    if (out.answer.valid && in.answer_ready) {
      answers.push_back({static_cast<std::uint32_t>(out.answer.data.data.value()),
                         static_cast<bool>(out.answer.data.error), true, 0});
    }
    in.data = UInt16::from(data_);
    memory_.clock(in);
    const auto pins = memory_.outputs().pins;
    data_ = chip_.tick({.command = static_cast<std::uint8_t>(pins.command.value()),
                        .bank = static_cast<std::uint8_t>(pins.bank.value()),
                        .address = static_cast<std::uint16_t>(pins.address.value()),
                        .mask = static_cast<std::uint8_t>(pins.mask.value()),
                        .data = static_cast<std::uint16_t>(pins.data.value()),
                        .drives = !static_cast<bool>(pins.releases)});
    if (read_taken) in.read_request.valid = 0;
    if (request_taken) in.write_request.valid = 0;
    if (write_taken) in.write.valid = 0;
    if (access_taken) in.access.valid = 0;
    ++now;
  }
  void clocks(int count) {
    for (int i = 0; i < count; ++i) clock();
  }
  template <typename Done>
  int until(Done done) {
    const std::uint64_t start = now;
    while (!done()) {
      clock();
      if (now - start > 5000) FAIL("no answer");
    }
    return static_cast<int>(now - start);
  }

  void ask(std::uint64_t address, int words, int id = 0) {
    in.read_request = {.valid = 1,
                       .data = {.address = UInt<40>::from(address),
                                .beats_less_one = UInt8::from(static_cast<unsigned>(words - 1)),
                                .id = kernels::Reader::from(static_cast<unsigned>(id))}};
  }

  Memory::Inputs in{};
  std::deque<Beat> beats, answers;
  std::deque<bool> responses;
  std::uint64_t now = 0;

 private:
  Memory memory_;
  sim::SdramModel chip_{sim::kBoardMhz};
  std::uint16_t data_ = 0;
};

struct WriteBurst {
  std::uint64_t address;
  std::vector<std::uint32_t> data;
  std::vector<unsigned> strobes;
};

void write(Bench& bench, const WriteBurst& burst) {
  bench.in.write_request = {.valid = 1,
                            .data = {.address = UInt<40>::from(burst.address),
                                     .beats_less_one = UInt8::from(burst.data.size() - 1)}};
  for (std::size_t i = 0; i < burst.data.size(); ++i) {
    auto& beat = bench.in.write;
    beat.valid = 1;
    for (int byte = 0; byte < kBusBytes; ++byte) {
      beat.data.data[byte] = UInt8::from(burst.data[i] >> 8 * byte);
    }
    beat.data.strobe = UInt<4>::from(burst.strobes[i]);
    beat.data.last = as_bit(i + 1 == burst.data.size());
    bench.until([&] { return !bench.in.write.valid; });
  }
  bench.until([&] { return !bench.responses.empty(); });
}

}  // namespace

TEST_CASE("the board's memory keeps what bursts and words write", "[board]") {
  Bench bench;
  Random random(21);
  std::map<std::uint64_t, std::uint8_t> expected;
  const auto word_at = [&](std::uint64_t word) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t{expected[4 * word + i]} << 8 * i;
    return value;
  };
  // Few places, so that rows and banks are met again; some bursts leave a row for the next bank.
  const auto place = [&] { return 4 * (random.below(6) * 1000 + random.below(40)); };
  for (std::uint64_t word = 0; word < 6100; ++word) {
    bench.in.access = {.valid = 1,
                       .data = {.address = UInt32::from(4 * word), .write = 1, .data = 0}};
    bench.until([&] { return !bench.answers.empty(); });
    bench.answers.clear();
  }
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t address = place();
    const int words = random.between(1, 16);
    bench.in.read_ready = bench.in.response_ready = UInt1(1);
    if (random.below(3) == 0) {
      WriteBurst burst{.address = address + random.below(4), .data = {}, .strobes = {}};
      for (int word = 0; word < words; ++word) {
        burst.data.push_back(random.bits32());
        burst.strobes.push_back(random.below(2) == 0 ? 15 : random.below(16));
        for (unsigned byte = 0; byte < 4; ++byte) {
          if ((burst.strobes.back() >> byte & 1) == 0) continue;
          expected[address + 4 * static_cast<unsigned>(word) + byte] =
              static_cast<std::uint8_t>(burst.data.back() >> 8 * byte);
        }
      }
      write(bench, burst);
      REQUIRE_FALSE(bench.responses.front());
      bench.responses.clear();
      continue;
    }
    const int id = random.between(0, 2);
    bench.ask(address + random.below(4), words, id);
    const bool also_link = random.below(2) == 0;
    const std::uint64_t link = place();
    if (also_link) {
      bench.in.access = {.valid = 1,
                         .data = {.address = UInt32::from(link), .write = 0, .data = 0}};
    }
    bench.until([&] {
      bench.in.read_ready = as_bit(random.below(3) != 0);  // a reader that stalls
      return static_cast<int>(bench.beats.size()) == words &&
             (!also_link || !bench.answers.empty());
    });
    for (int word = 0; word < words; ++word) {
      const Beat& beat = bench.beats[static_cast<std::size_t>(word)];
      INFO("burst " << i << ", word " << word);
      REQUIRE(beat.data == word_at(address / 4 + static_cast<unsigned>(word)));
      REQUIRE(beat.last == (word + 1 == words));
      REQUIRE(beat.id == id);
      REQUIRE_FALSE(beat.error);
    }
    if (also_link) REQUIRE(bench.answers.front().data == word_at(link / 4));
    bench.beats.clear();
    bench.answers.clear();
  }
}

TEST_CASE("words beyond the board's memory are errors, those before it are not", "[board]") {
  Bench bench;
  const std::uint64_t end = board::kSdramBytes;
  bench.ask(end - 8, 4);
  bench.until([&] { return bench.beats.size() == 4; });
  for (int i = 0; i < 4; ++i) CHECK(bench.beats[static_cast<std::size_t>(i)].error == (i >= 2));
  write(bench, {.address = end - 4, .data = {1, 2}, .strobes = {15, 15}});
  CHECK(bench.responses.front());
  bench.responses.clear();
  write(bench, {.address = 0, .data = {3}, .strobes = {15}});
  CHECK_FALSE(bench.responses.front());
  bench.in.access = {.valid = 1, .data = {.address = UInt32::from(end), .write = 0, .data = 0}};
  bench.until([&] { return !bench.answers.empty(); });
  CHECK(bench.answers.front().error);
  bench.ask((std::uint64_t{1} << 39) + 16, 1);
  bench.beats.clear();
  bench.until([&] { return !bench.beats.empty(); });
  CHECK(bench.beats.front().error);
}

TEST_CASE("an idle memory answers after its latency, then a word in two clocks", "[board]") {
  Bench bench;
  bench.ask(0x10000, 16);
  int clocks = bench.until([&] { return !bench.beats.empty(); });
  CHECK(clocks == Memory::kReadLatency);
  clocks = bench.until([&] { return bench.beats.size() == 16; });
  CHECK(clocks == 30);
}

TEST_CASE("a stream of bursts takes 2.25 clocks a word at most", "[board]") {
  Bench bench;
  const std::uint64_t start = bench.now;
  constexpr int kBursts = 200;
  for (int burst = 0; burst < kBursts; ++burst) {
    bench.until([&] { return !bench.in.read_request.valid; });
    bench.ask(static_cast<std::uint64_t>(64 * burst), 16);
  }
  bench.until([&] { return bench.beats.size() == 16 * kBursts; });
  const double clocks = static_cast<double>(bench.now - start);
  CHECK(clocks / (16 * kBursts) < 2.25);  // two, a burst's start, rows, refreshes
}

}  // namespace systole::tests
