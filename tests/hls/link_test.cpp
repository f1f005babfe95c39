// Links between two cores, and the vector engine's streams at their ends.
#include "hls/kernels/link.h"

#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/link_line.h"

namespace systole::tests {
namespace {

using namespace kernels;
using namespace hls;

constexpr std::uint64_t kSeed = 0x5eed'0411;
constexpr int kN = 4;
constexpr int kFlight = 8;
using Line = LinkLine<kN, kFlight>;

template <int kClocks>
void deliver(std::uint64_t seed) {
  Random random(seed);
  Link<LinkBeat<kN>, kClocks> link;
  link.reset();
  std::deque<std::uint32_t> under_way;
  std::uint32_t sent = 0, received = 0;
  std::size_t most = 0;
  std::uint32_t sends = 16, takes = 16;  // of 16 clocks
  for (int clock = 0; clock < 20'000; ++clock) {
    if (clock % 200 == 0) {
      sends = random.below(17);
      takes = random.below(17);
    }
    const auto out = link.outputs();
    typename Link<LinkBeat<kN>, kClocks>::Inputs in{};
    in.sent.valid = as_bit(random.below(16) < sends);
    in.sent.data.lanes = UInt32::from(sent);
    in.sent.data.last = as_bit(sent % 3 == 0);
    in.received_ready = as_bit(random.below(16) < takes);
    if (in.sent.valid && out.sent_ready) under_way.push_back(sent++);
    if (out.received.valid && in.received_ready) {
      REQUIRE(!under_way.empty());
      REQUIRE(out.received.data.lanes.value() == under_way.front());
      REQUIRE(static_cast<bool>(out.received.data.last) == (under_way.front() % 3 == 0));
      under_way.pop_front();
      ++received;
    }
    most = std::max(most, under_way.size());
    link.clock(in);
  }
  CHECK(received > 4000);
  CHECK(most == Link<LinkBeat<kN>, kClocks>::kPlaces);
}

TEST_CASE("a link delivers each beat once and in order, whatever both cores do", "[link]") {
  INFO("seed " << kSeed);
  deliver<2>(kSeed);
  deliver<8>(kSeed);
  deliver<21>(kSeed);
}

TEST_CASE("a link carries a beat a clock, kFlight + 2 clocks from end to end", "[link]") {
  Link<LinkBeat<kN>, kFlight> link;
  link.reset();
  int received = 0;
  for (int clock = 0; clock < 1000; ++clock) {
    const auto out = link.outputs();
    CHECK(out.sent_ready);
    CHECK(static_cast<bool>(out.received.valid) == (clock >= kFlight + 2));
    received += static_cast<bool>(out.received.valid);
    Link<LinkBeat<kN>, kFlight>::Inputs in{};
    in.sent.valid = UInt1(1);
    in.received_ready = UInt1(1);
    link.clock(in);
  }
  CHECK(received == 1000 - kFlight - 2);
}

TEST_CASE("streams of any shape arrive as they were sent, whatever the units do", "[link]") {
  INFO("seed " << kSeed);
  for (int episode = 0; episode < 40; ++episode) {
    Line line(kSeed + static_cast<std::uint64_t>(episode));
    line.brings = 1 + line.random.below(16);
    line.takes = 1 + line.random.below(16);
    for (unsigned i = 0; i < 6; ++i)
      line.add(1 + line.random.below(5), 1 + line.random.below(30), i);
    const std::deque<std::uint32_t> words = line.words_to_send;
    line.run();
    CHECK(!line.sender_fault);
    CHECK(!line.receiver_fault);
    CHECK(line.received == words);
  }
}

TEST_CASE("a word takes four clocks of a link", "[link]") {
  Line line(kSeed);
  line.add(1, 4096, 0);
  line.run();
  CHECK(line.received.size() == 1024);
  CHECK(line.clocks == 4 * 1024 + kFlight + 8);
  CHECK(line.waited_for_room == 0);
}

TEST_CASE("a neighbour that offers nothing for longer than the patience is a stall", "[link]") {
  for (const std::uint32_t patience : {0U, 1U, 50U}) {
    Line line(kSeed);
    line.patience = patience;
    line.to_receive.push_back(Line::make(1, 4, 7));
    line.clock();  // takes the stream
    const std::uint64_t start = line.clocks;
    line.run();
    REQUIRE(line.receiver_fault);
    CHECK(line.receiver_fault->code.value() == kFaultLinkStall);
    CHECK(line.receiver_fault->command.value() == 7);
    CHECK(line.clocks - start == patience + 2);
    CHECK(line.waited_for_beat == static_cast<int>(patience) + 1);
  }
}

TEST_CASE("a neighbour that takes nothing for longer than the patience is a stall", "[link]") {
  Line line(kSeed);
  line.patience = 100;
  line.to_send.push_back(Line::make(1, 400, 9));
  line.bring(100);
  line.run();
  REQUIRE(line.sender_fault);
  CHECK(line.sender_fault->code.value() == kFaultLinkStall);
  CHECK(line.sender_fault->command.value() == 9);
  CHECK(line.waited_for_room == 101);
}

TEST_CASE("a neighbour's stream that is shorter or longer is found at its last beat", "[link]") {
  for (const unsigned words : {3U, 5U}) {
    Line line(kSeed);
    line.to_send.push_back(Line::make(1, 4 * words, 1));
    line.bring(words);
    line.to_receive.push_back(Line::make(4, 1, 2));
    line.to_receive.back().is_down = UInt1(1);
    line.run();
    REQUIRE(line.receiver_fault);
    CHECK(line.receiver_fault->code.value() == kFaultLinkLength);
    CHECK(line.receiver_fault->command.value() == 2);
    CHECK(line.received.size() <= 3);
  }
}

TEST_CASE("after a stop of both cores, then of the receiver, no word of before is left", "[link]") {
  for (unsigned cut = 1; cut < 120; ++cut) {
    Line line(kSeed);
    line.takes = 3;
    line.add(3, 40, 0);
    line.add(1, 4, 1);
    for (unsigned i = 0; i < cut; ++i) line.clock();
    line.restart([](const auto&) {});
    line.takes = 16;
    line.add(2, 9, 2);
    const std::deque<std::uint32_t> words = line.words_to_send;
    line.run();
    CHECK(!line.receiver_fault);
    CHECK(line.received == words);
  }
}

}  // namespace
}  // namespace systole::tests
