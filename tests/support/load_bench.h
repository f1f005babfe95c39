#pragma once

#include <memory>

#include "tests/support/load_traffic.h"

namespace systole::tests {

/// A load engine in C++ and its surroundings.
template <int kN, int kBus = kN>
struct Bench {
  using Engine = kernels::LoadEngine<kN, true, kBus>;

  explicit Bench(const LoadPace& pace, std::uint64_t seed = 1)
      : engine(std::make_unique<Engine>()), traffic(seed, pace) {
    engine->reset();
  }

  void clock() {
    shown = engine->outputs();
    engine->clock(traffic.next(shown));
  }
  void clock(int count) {
    for (int i = 0; i < count; ++i) clock();
  }
  /// Runs until the engine has done all commands; returns false if it does not finish.
  bool finish(int limit = 100'000) {
    for (int i = 0; i < limit; ++i) {
      clock();
      if (!traffic.commands_left() && engine->outputs().idle) return true;
    }
    return false;
  }

  std::unique_ptr<Engine> engine;
  LoadTraffic<kN, kBus> traffic;
  typename Engine::Outputs shown;
};

/// The oracle's results of consecutive loads.
struct Expected {
  std::vector<reference::LoadWord> words;
  std::vector<reference::LoadBurst> bursts;

  void add(const reference::LoadBlock& block, int array_size, int bus_bytes = 0) {
    for (auto& word : reference::load_words(block, array_size, memory_byte)) words.push_back(word);
    for (auto& burst : reference::load_bursts(block, bus_bytes == 0 ? array_size : bus_bytes))
      bursts.push_back(burst);
  }
};

/// Rows of 16 bf16 each, for the weights buffer.
inline reference::LoadBlock tile(int rows, std::uint64_t address = 0x1'0000) {
  reference::LoadBlock block;
  block.address = address;
  block.rows = rows;
  block.cols = 16;
  block.row_stride = 1024;
  block.buffer = reference::LoadBuffer::kWeights;
  block.element_bytes = 2;
  return block;
}

}  // namespace systole::tests
