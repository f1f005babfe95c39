#include "host/compiler/schedule/ring_order.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "host/compiler/schedule/engine_streams.h"
#include "tests/support/random.h"

namespace systole {
namespace {

using device::Tokens;
using tests::Random;

/// Steps in bursts of one engine. To pile up tokens, each may wait for the next step of another
/// engine, and vector steps of their own, for which its engine has not yet waited, or for one of
/// the last.
OfSteps<Step> random_steps(Random& random, int count) {
  OfSteps<Step> steps;
  std::array<std::array<std::int32_t, kEngines>, kEngines> waited{};
  const std::uint32_t waits = 1 + random.below(4), longest = 1 + random.below(120);
  Engine engine = kLoads;
  std::uint32_t burst = 0;
  for (int i = 0; i < count; ++i) {
    if (burst-- == 0) {
      engine = kAllEngines[random.below(kEngines)];
      burst = random.below(longest);
    }
    Step step;
    step.clocks = 1 + random.below(random.below(2) == 0 ? 4 : 400);
    for (const Engine other : kAllEngines) {
      const auto added = static_cast<std::int32_t>(steps[other].size());
      if (added == 0 || random.below(waits) != 0) continue;
      if (other == engine && engine != kVectors) continue;
      std::int32_t& next = waited[engine][other];
      if (random.below(30) == 0) next = added - 1 - static_cast<std::int32_t>(random.below(3));
      step.wait_for(other, std::clamp(next, 0, added - 1));
      next = step.after[other] + 1;
    }
    steps[engine].push_back(step);
  }
  return steps;
}

/// Runs steps as the device does, at a random pace; returns an error, or an empty string.
///
/// Commands are handed on in the ring's order while their queue has room. A step takes its tokens
/// when it starts and gives its own when it is done, each engine's in order.
class RingRun {
 public:
  RingRun(const OfSteps<Step>& steps, const OfSteps<Tokens>& tokens, std::uint64_t seed)
      : steps_(steps), tokens_(tokens), random_(seed), slow_(random_.below(4)) {}

  std::string run(const std::vector<Engine>& ring) {
    std::size_t handed_on = 0;
    for (;;) {
      std::vector<int> moves;
      if (handed_on < ring.size() && queued_[ring[handed_on]] < device::kQueuedCommands) {
        moves.push_back(-1);
      }
      for (const Engine engine : kAllEngines) {
        if (may_start(engine)) moves.push_back(engine);
        if (done_[engine] < started_[engine]) moves.push_back(engine + kEngines);
      }
      if (moves.empty()) break;
      const int move = moves[random_.below(static_cast<std::uint32_t>(moves.size()))];
      // A slow engine, so that tokens for it pile up.
      if (move >= 0 && static_cast<std::uint32_t>(move % kEngines) == slow_ && moves.size() > 1 &&
          random_.below(64) != 0) {
        continue;
      }
      if (move < 0) {
        ++queued_[ring[handed_on++]];
      } else if (move < kEngines) {
        start(kAllEngines[static_cast<std::size_t>(move)]);
      } else {
        finish(kAllEngines[static_cast<std::size_t>(move - kEngines)]);
      }
      if (!wrong_.empty()) return wrong_;
    }
    for (const Engine engine : kAllEngines) {
      if (done_[engine] != steps_[engine].size()) return "a step waits forever";
      for (const Engine taker : kAllEngines) {
        if (waiting_[engine][taker] != 0) return "a token is left over";
      }
    }
    return {};
  }

  int most_waiting() const { return most_waiting_; }

 private:
  static constexpr std::size_t kUnderWay = 3;  // started and unfinished steps of an engine, at most

  const OfSteps<Step>& steps_;
  const OfSteps<Tokens>& tokens_;
  Random random_;
  std::uint32_t slow_;
  std::array<int, kEngines> queued_{};
  std::array<std::size_t, kEngines> started_{}, done_{};
  std::array<std::array<int, kEngines>, kEngines> waiting_{};
  int most_waiting_ = 0;
  std::string wrong_;

  bool may_start(Engine engine) const {
    if (queued_[engine] == 0 || started_[engine] - done_[engine] == kUnderWay) return false;
    const Tokens tokens = tokens_[engine][started_[engine]];
    return std::all_of(kAllEngines.begin(), kAllEngines.end(), [&](Engine giver) {
      if (giver == engine && (tokens.wait >> giver & 1) != 0) {
        return started_[engine] == done_[engine];
      }
      return (tokens.wait >> giver & 1) == 0 || waiting_[giver][engine] > 0;
    });
  }

  void start(Engine engine) {
    const std::size_t step = started_[engine]++;
    --queued_[engine];
    for (const Engine giver : kAllEngines) {
      const bool waits = (tokens_[engine][step].wait >> giver & 1) != 0;
      if (waits && giver != engine) --waiting_[giver][engine];
      if (steps_[engine][step].after[giver] >= static_cast<std::int64_t>(done_[giver])) {
        wrong_ = "a step starts before one that it waits for is done";
      }
    }
  }

  void finish(Engine engine) {
    const std::size_t step = done_[engine]++;
    for (const Engine taker : kAllEngines) {
      if ((tokens_[engine][step].signal >> taker & 1) == 0) continue;
      most_waiting_ = std::max(most_waiting_, ++waiting_[engine][taker]);
    }
  }
};

/// Start times without delays by queues or tokens.
OfSteps<std::int64_t> starts_of(const OfSteps<Step>& steps) {
  OfSteps<std::int64_t> starts;
  std::array<std::int64_t, kEngines> free{};
  for (bool moved = true; moved;) {
    moved = false;
    for (const Engine engine : kAllEngines) {
      while (starts[engine].size() < steps[engine].size()) {
        const Step& step = steps[engine][starts[engine].size()];
        std::int64_t start = free[engine];
        bool known = true;
        for (const Engine other : kAllEngines) {
          if (step.after[other] == Step::kNothing) continue;
          const auto before = static_cast<std::size_t>(step.after[other]);
          known = known && before < starts[other].size();
          if (known) start = std::max(start, starts[other][before] + steps[other][before].clocks);
        }
        if (!known) break;
        starts[engine].push_back(start);
        free[engine] = start + step.clocks;
        moved = true;
      }
    }
  }
  return starts;
}

std::size_t count_signals(const OfSteps<Tokens>& tokens) {
  std::size_t signals = 0;
  for (const auto& engine : tokens) {
    for (const Tokens& of_step : engine) {
      for (const Engine taker : kAllEngines) signals += of_step.signal >> taker & 1;
    }
  }
  return signals;
}

}  // namespace

TEST_CASE("any steps finish in order, with a bounded number of waiting tokens", "[ring_order]") {
  Random random(41);
  int fullest = 0, merged = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto steps = random_steps(random, 2 + static_cast<int>(random.below(900)));
    const auto starts = starts_of(steps);
    const int most = 1 + static_cast<int>(random.below(random.below(2) == 0 ? 3 : 40));
    auto tokens = tokens_of(steps);
    const std::size_t before = count_signals(tokens);
    const std::vector<Engine> ring = ring_order(steps, starts, most, tokens);
    RingRun run(steps, tokens, static_cast<std::uint64_t>(i));
    INFO("case " << i << ", at most " << most << " tokens");
    REQUIRE(ring.size() == steps[0].size() + steps[1].size() + steps[2].size() + steps[3].size());
    REQUIRE(run.run(ring) == "");
    // Commands in the taker's queue have not taken their tokens.
    REQUIRE(run.most_waiting() <= most + device::kQueuedCommands + 4);
    fullest = std::max(fullest, run.most_waiting() - most);
    merged += count_signals(tokens) < before ? 1 : 0;
  }
  // The bound is reached, and some tokens had to be merged.
  CHECK(fullest >= 10);
  CHECK(merged >= 100);
}

TEST_CASE("without a bound, the same steps give more tokens", "[ring_order]") {
  Random random(41);
  int worst = 0;
  for (int i = 0; i < 300; ++i) {
    const auto steps = random_steps(random, 900);
    auto tokens = tokens_of(steps);
    const auto ring = ring_order(steps, starts_of(steps), 1 << 30, tokens);
    RingRun run(steps, tokens, static_cast<std::uint64_t>(i));
    REQUIRE(run.run(ring) == "");
    worst = std::max(worst, run.most_waiting());
  }
  CHECK(worst > 40 + device::kQueuedCommands + 4);
}

TEST_CASE("a bound that is never reached changes nothing", "[ring_order]") {
  Random random(43);
  for (int i = 0; i < 300; ++i) {
    const auto steps = random_steps(random, 200);
    const auto starts = starts_of(steps);
    auto tokens = tokens_of(steps);
    const auto given = tokens;
    REQUIRE(ring_order(steps, starts, 200, tokens) == ring_order(steps, starts, 1 << 30, tokens));
    for (const Engine engine : kAllEngines) {
      for (std::size_t s = 0; s < given[engine].size(); ++s) {
        REQUIRE(tokens[engine][s].wait == given[engine][s].wait);
        REQUIRE(tokens[engine][s].signal == given[engine][s].signal);
      }
    }
  }
}

TEST_CASE("a step that gives one token too many comes after the first is taken", "[ring_order]") {
  // Ten loads, each with a product that waits for it; loads could all go first.
  OfSteps<Step> steps;
  for (std::int32_t i = 0; i < 10; ++i) {
    steps[kLoads].emplace_back();
    steps[kProducts].emplace_back().wait_for(kLoads, i);
  }
  OfSteps<std::int64_t> starts;
  for (std::int64_t i = 0; i < 10; ++i) {
    starts[kLoads].push_back(i);
    starts[kProducts].push_back(100 + i);
  }
  auto tokens = tokens_of(steps);
  const auto ring = ring_order(steps, starts, 3, tokens);
  constexpr Engine L = kLoads, P = kProducts;
  REQUIRE(ring == std::vector<Engine>{L, L, L, P, L, P, L, P, L, P, L, P, L, P, L, P, L, P, P, P});
  REQUIRE(count_signals(tokens) == 10);
}

TEST_CASE("tokens are merged if their taker needs a later step of the giver", "[ring_order]") {
  // The first product waits for the first load and, through a store, for the last one.
  OfSteps<Step> steps;
  for (std::int32_t i = 0; i < 10; ++i) steps[kLoads].emplace_back();
  steps[kStores].emplace_back().wait_for(kLoads, 9);
  for (std::int32_t i = 0; i < 10; ++i) steps[kProducts].emplace_back().wait_for(kLoads, i);
  steps[kProducts][0].wait_for(kStores, 0);
  auto tokens = tokens_of(steps);
  const auto ring = ring_order(steps, starts_of(steps), 3, tokens);
  RingRun run(steps, tokens, 1);
  REQUIRE(run.run(ring) == "");
  // 4 became 1, twice over; then two of their own, and the store's two.
  CHECK(count_signals(tokens) < 11);
  CHECK(run.most_waiting() <= 3);
}

}  // namespace systole
