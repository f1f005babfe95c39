#include "host/compiler/schedule/ring_order.h"

#include <cstddef>
#include <optional>

namespace systole {
namespace {

using device::Tokens;

constexpr std::uint8_t bit(int engine) { return static_cast<std::uint8_t>(1 << engine); }

class RingOrder {
 public:
  RingOrder(const OfSteps<Step>& steps, const OfSteps<std::int64_t>& starts, int most_tokens,
            OfSteps<Tokens>& tokens)
      : steps_(steps), starts_(starts), most_(most_tokens), tokens_(tokens) {}

  /// The engine whose step comes next; empty at the end.
  std::optional<Engine> next() {
    std::optional<Engine> chosen = first(&RingOrder::may_go);
    if (!chosen) {
      // The step that must take the blocking tokens itself needs the blocked step, or a later one.
      chosen = first(&RingOrder::is_known);
      if (!chosen) return std::nullopt;
      for (const Engine taker : kAllEngines) {
        if (runs_over(*chosen, taker)) merge(*chosen, taker);
      }
    }
    place(*chosen);
    return chosen;
  }

 private:
  const OfSteps<Step>& steps_;
  const OfSteps<std::int64_t>& starts_;
  int most_;
  OfSteps<Tokens>& tokens_;
  std::array<std::size_t, kEngines> next_{};
  std::array<std::array<int, kEngines>, kEngines> waiting_{};  // tokens, [giver][taker]

  std::optional<Engine> first(bool (RingOrder::*accepts)(Engine) const) const {
    std::optional<Engine> first;
    for (const Engine engine : kAllEngines) {
      if (next_[engine] == steps_[engine].size() || !(this->*accepts)(engine)) continue;
      if (!first || starts_[engine][next_[engine]] < starts_[*first][next_[*first]]) first = engine;
    }
    return first;
  }

  /// Whether everything that the engine's next step waits for is already in the ring.
  bool is_known(Engine engine) const {
    const Step& step = steps_[engine][next_[engine]];
    for (const Engine other : kAllEngines) {
      if (step.after[other] >= static_cast<std::int64_t>(next_[other])) return false;
    }
    return true;
  }

  /// Whether the giver's next step would give the taker one token too many.
  bool runs_over(Engine giver, Engine taker) const {
    return waiting_[giver][taker] >= most_ &&
           (tokens_[giver][next_[giver]].signal & bit(taker)) != 0;
  }

  bool may_go(Engine engine) const {
    for (const Engine taker : kAllEngines) {
      if (runs_over(engine, taker)) return false;
    }
    return is_known(engine);
  }

  /// Merges the outstanding tokens into one: the first step that takes one of them waits for the
  /// giver's next step instead, and later steps no longer take theirs.
  void merge(Engine giver, Engine taker) {
    int& waiting = waiting_[giver][taker];
    std::size_t given = next_[giver];
    for (int left = waiting; left > 0;) {
      Tokens& tokens = tokens_[giver][--given];
      if ((tokens.signal & bit(taker)) == 0) continue;
      tokens.signal &= static_cast<std::uint8_t>(~bit(taker));
      --left;
    }
    std::size_t asked = next_[taker];
    while ((tokens_[taker][asked].wait & bit(giver)) == 0) ++asked;
    for (int left = waiting; left > 0;) {
      Tokens& tokens = tokens_[taker][++asked];
      if ((tokens.wait & bit(giver)) == 0) continue;
      tokens.wait &= static_cast<std::uint8_t>(~bit(giver));
      --left;
    }
    waiting = 0;
  }

  void place(Engine engine) {
    const Tokens tokens = tokens_[engine][next_[engine]++];
    for (const Engine other : kAllEngines) {
      if (other == engine) continue;
      if ((tokens.wait & bit(other)) != 0) --waiting_[other][engine];
      if ((tokens.signal & bit(other)) != 0) ++waiting_[engine][other];
    }
  }
};

}  // namespace

OfSteps<Tokens> tokens_of(const OfSteps<Step>& steps) {
  OfSteps<Tokens> tokens;
  for (const Engine engine : kAllEngines) tokens[engine].resize(steps[engine].size());
  for (const Engine taker : kAllEngines) {
    // A wait also covers all earlier steps of the giver: tokens are given and taken in the same
    // order, one for one.
    Step::After covered = Step::kNoStep;
    for (std::size_t i = 0; i < steps[taker].size(); ++i) {
      for (const Engine giver : kAllEngines) {
        const std::int32_t after = steps[taker][i].after[giver];
        if (after <= covered[giver] || (giver == taker && giver != kVectors)) continue;
        tokens[taker][i].wait |= bit(giver);
        if (giver == taker) {  // waits for everything before it, without tokens
          covered[giver] = static_cast<std::int32_t>(i) - 1;
          continue;
        }
        covered[giver] = after;
        tokens[giver][static_cast<std::size_t>(after)].signal |= bit(taker);
      }
    }
  }
  return tokens;
}

std::vector<Engine> ring_order(const OfSteps<Step>& steps, const OfSteps<std::int64_t>& starts,
                               int most_tokens, OfSteps<Tokens>& tokens) {
  RingOrder order(steps, starts, most_tokens, tokens);
  std::vector<Engine> ring;
  std::size_t count = 0;
  for (const auto& of_engine : steps) count += of_engine.size();
  ring.reserve(count);
  while (const auto engine = order.next()) ring.push_back(*engine);
  return ring;
}

}  // namespace systole
