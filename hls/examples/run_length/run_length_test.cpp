// The threads as plain C++: runs against a loop over the packet, and the queue against its input.

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "run_length_queue.h"

namespace {

using run_length::Beat;
using run_length::Process;
using run_length::Run;
using run_length::Symbol;

constexpr unsigned kSeed = 1;

/// Packets of a few different bytes in runs of 1 to 300.
std::vector<Symbol> random_symbols() {
  std::mt19937 random(kSeed);
  std::vector<Symbol> symbols;
  for (int run = 0; run < 60; ++run) {
    const auto value = run_length::UInt8::from(random() % 3);
    const int length = random() % 4 == 0 ? 300 : 1 + static_cast<int>(random() % 5);
    for (int i = 0; i < length; ++i) symbols.push_back({.value = value, .last = 0});
    if (random() % 3 == 0) symbols.back().last = 1;
  }
  symbols.back().last = 1;
  return symbols;
}

/// The oracle: three numbers for each run.
std::vector<int> runs_of(const std::vector<Symbol>& symbols) {
  std::vector<int> runs;
  int length = 0;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    ++length;
    const bool last = static_cast<bool>(symbols[i].last);
    if (!last && length < 255 && symbols[i + 1].value == symbols[i].value) continue;
    runs.insert(runs.end(), {static_cast<int>(symbols[i].value.value()), length, last});
    length = 0;
  }
  return runs;
}

/// A producer and a consumer that keep the rule of streams and are willing now and then.
class Traffic {
 public:
  explicit Traffic(const std::vector<Symbol>& symbols) : symbols_(symbols) {}

  Beat<Symbol> offer() {
    waits_ = waits_ || (sent_ < symbols_.size() && random_() % 2 == 0);
    return {.valid = run_length::as_bit(waits_), .data = waits_ ? symbols_[sent_] : Symbol{}};
  }
  void note_taken(const run_length::UInt1& ready) {
    if (!waits_ || !ready) return;
    ++sent_;
    waits_ = false;
  }
  run_length::UInt1 willing() { return run_length::as_bit(random_() % 2 == 0); }

 private:
  std::mt19937 random_{kSeed};
  const std::vector<Symbol>& symbols_;
  std::size_t sent_ = 0;
  bool waits_ = false;
};

}  // namespace

TEST_CASE("encode makes the runs of every packet, none longer than 255") {
  const std::vector<Symbol> symbols = random_symbols();
  const std::vector<int> expected = runs_of(symbols);
  Traffic traffic(symbols);
  Process<&run_length::encode> encode;
  std::vector<int> runs;
  while (runs.size() < expected.size()) {
    const auto out = encode.outputs();
    const Beat<Run> run = part<1>(out);
    Process<&run_length::encode>::Inputs in;
    part<0>(in) = traffic.offer();
    part<1>(in) = traffic.willing();
    if (run.valid && part<1>(in)) {
      for (const auto& field : {run.data.value, run.data.length, run_length::UInt8(run.data.last)})
        runs.push_back(static_cast<int>(field.value()));
    }
    encode.clock(in);
    traffic.note_taken(part<0>(out));
  }
  INFO("seed " << kSeed);
  CHECK(runs == expected);
}

TEST_CASE("RunLengthQueue gives back what went in") {
  const std::vector<Symbol> symbols = random_symbols();
  Traffic traffic(symbols);
  run_length::RunLengthQueue queue;
  queue.reset();
  for (std::size_t received = 0; received < symbols.size();) {
    const auto out = queue.outputs();
    const Beat<Symbol> offer = traffic.offer();
    const run_length::UInt1 ready = traffic.willing();
    if (out.out.valid && ready) {
      INFO("symbol " << received << ", seed " << kSeed);
      REQUIRE(out.out.data.value == symbols[received].value);
      REQUIRE(out.out.data.last == symbols[received].last);
      ++received;
    }
    queue.clock({.in = offer, .out_ready = ready});
    traffic.note_taken(out.in_ready);
  }
}
