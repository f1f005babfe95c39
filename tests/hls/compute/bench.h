#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "hls/kernels/compute_engine.h"
#include "hls/reference/compute.h"
#include "systole/hls/ram.h"
#include "tests/support/random.h"

namespace systole::tests {

/// Which tokens a command takes and gives, bits as in its word.
struct Ties {
  unsigned wait = 0;
  unsigned signal = 0;
};
inline constexpr unsigned kLoadTie = 1u << kernels::kLoadBit;
inline constexpr unsigned kStoreTie = 1u << kernels::kStoreBit;

inline kernels::CommandWord shape_word(const reference::ComputeProduct& product) {
  const auto low = std::uint64_t{kernels::kOpcodeMatmulShape} |
                   static_cast<std::uint64_t>(product.rows) << 16 |
                   static_cast<std::uint64_t>(product.a_tile_stride) << 32 |
                   static_cast<std::uint64_t>(product.b_tile_stride) << 48;
  const auto high = static_cast<std::uint64_t>(product.tiles) |
                    static_cast<std::uint64_t>(product.last_depth) << 16;
  return hls::concat(hls::UInt<64>::from(high), hls::UInt<64>::from(low));
}

inline kernels::CommandWord matmul_word(const reference::ComputeProduct& product,
                                        const Ties& ties) {
  const auto low = std::uint64_t{kernels::kOpcodeMatmul} | std::uint64_t{ties.wait} << 8 |
                   std::uint64_t{ties.signal} << 11 |
                   static_cast<std::uint64_t>(product.a_row) << 16 |
                   static_cast<std::uint64_t>(product.b_row) << 32 |
                   static_cast<std::uint64_t>(product.sum_row) << 48;
  const auto high = static_cast<std::uint64_t>(product.is_int8) |
                    static_cast<std::uint64_t>(product.transpose_a) << 1 |
                    static_cast<std::uint64_t>(product.transpose_b) << 2 |
                    static_cast<std::uint64_t>(product.accumulate) << 3 |
                    static_cast<std::uint64_t>(product.ones_row) << 4;
  return hls::concat(hls::UInt<64>::from(high), hls::UInt<64>::from(low));
}

/// The compute engine between its buffers and the real matrix unit, clock by clock, and the oracle
/// beside it.
template <int kN>
class ComputeBench {
 public:
  using Engine = kernels::ComputeEngine<kN>;
  using Unit = typename Engine::Unit;
  using Word = hls::Vec<hls::UInt16, kN>;
  static constexpr int kSumRows = 2 * kernels::kDefaultBankRows;

  explicit ComputeBench(std::uint64_t seed)
      : engine_(std::make_unique<Engine>()),
        unit_(std::make_unique<Unit>()),
        rows_(std::make_unique<hls::Ram<Word, kernels::kRowBufferRows>>()),
        weights_(std::make_unique<hls::Ram<Word, kernels::kWeightBufferRows>>()),
        row_words_(kN * kernels::kRowBufferRows),
        weight_words_(kN * kernels::kWeightBufferRows),
        expected_(kN * kSumRows) {
    engine_->reset();
    unit_->reset();
    Random random(seed);
    for (auto& x : row_words_) x = operand(random);
    for (auto& x : weight_words_) x = operand(random);
    for (auto& x : expected_) x = std::uint32_t{operand(random)} << 16;
    fill(*rows_, row_words_);
    fill(*weights_, weight_words_);
    for (int row = 0; row < kSumRows; ++row) {
      typename Unit::Inputs in;
      in.preload_valid = hls::UInt1(1);
      in.preload_row = kernels::SumRow::from(static_cast<unsigned>(row));
      for (int n = 0; n < kN; ++n) {
        in.preload[n] = hls::UInt32::from(expected_[static_cast<std::size_t>(row * kN + n)]);
      }
      unit_->clock(in);
    }
  }

  /// Queues a product, and its shape where it is another one; the oracle computes it at once.
  void queue(const reference::ComputeProduct& product, const Ties& ties = {}) {
    const kernels::CommandWord shape = shape_word(product);
    if (!(shape == shape_)) push(shape);
    shape_ = shape;
    push(matmul_word(product, ties));
    reference::compute(product, kN, row_words_, weight_words_, expected_);
  }

  /// One clock. A token that is taken must have been there.
  void clock() {
    const auto out = engine_->outputs();
    note(out);
    typename Engine::Inputs in;
    in.command.valid = hls::as_bit(!commands_.empty());
    if (!commands_.empty()) in.command.data = commands_.front();
    in.stop = hls::as_bit(stop);
    in.tokens =
        hls::UInt<3>::from((load_tokens > 0 ? kLoadTie : 0) | (store_tokens > 0 ? kStoreTie : 0));
    in.rows_data = rows_
                       ->clock({.read_enable = out.rows_read,
                                .read_address = out.rows_address,
                                .write_enable = hls::UInt1(0),
                                .write_address = {},
                                .write_data = {}})
                       .read_data;
    in.weights_data = weights_
                          ->clock({.read_enable = out.weights_read,
                                   .read_address = out.weights_address,
                                   .write_enable = hls::UInt1(0),
                                   .write_address = {},
                                   .write_data = {}})
                          .read_data;
    typename Unit::Inputs unit;
    unit.row_valid = out.row_valid;
    unit.activation = out.activation;
    unit.plane = out.plane;
    unit.is_int8 = out.is_int8;
    unit.row = out.row;
    unit.accumulate = out.accumulate;
    unit.weight_valid = out.weight_valid;
    unit.weight = out.weight;
    unit.weight_column = out.weight_column;
    unit.weight_plane = out.weight_plane;
    unit.read_valid = hls::as_bit(read_row >= 0);
    unit.read_row = kernels::SumRow::from(static_cast<unsigned>(std::max(read_row, 0)));
    const auto result = unit_->clock(unit);
    if (result.result_valid) {
      for (int n = 0; n < kN; ++n) {
        results.push_back(static_cast<std::uint32_t>(result.result[n].value()));
      }
    }
    if (in.command.valid && out.command_ready) {
      commands_.pop_front();
      taken_at.push_back(now);
    }
    engine_->clock(in);
    ++now;
  }

  /// Runs until the engine is idle and nothing is queued; false where that takes too long.
  bool run(int longest = 200'000) {
    for (int i = 0; i < longest; ++i) {
      if (commands_.empty() && engine_->outputs().idle) return true;
      clock();
    }
    return false;
  }

  /// Overwrites both buffers, in no time.
  void spoil_all() {
    fill(*rows_, std::vector<std::uint16_t>(row_words_.size(), kSpoiled));
    fill(*weights_, std::vector<std::uint16_t>(weight_words_.size(), kSpoiled));
  }

  /// All accumulator rows, after everything has come to rest.
  std::vector<std::uint32_t> sums() {
    results.clear();
    for (int row = 0; row < kSumRows + Unit::kReadCycles; ++row) {
      read_row = row < kSumRows ? row : -1;
      clock();
    }
    read_row = -1;
    return results;
  }
  const std::vector<std::uint32_t>& expected() const { return expected_; }

  auto outputs() const { return engine_->outputs(); }
  std::size_t queued() const { return commands_.size(); }
  /// After a stop: the shape is gone, and the sums are what they are.
  void start_anew() {
    expected_ = sums();
    shape_ = {};
  }

  // What the test drives.
  int load_tokens = 0;
  int store_tokens = 0;
  bool stop = false;
  int read_row = -1;  ///< an accumulator row to read in the next clock

  // What it sees.
  int now = 0;
  std::vector<int> taken_at;       ///< clocks in which commands were taken
  std::vector<int> row_at;         ///< clocks in which rows entered the array
  std::vector<int> given_to_load;  ///< clocks in which the tokens were shown
  std::vector<int> given_to_store;
  std::vector<std::uint32_t> results;
  struct {
    int rows = 0, tiles = 0, load = 0, store = 0, weights = 0, sums = 0, command = 0;
  } counted;
  int counted_twice = 0;  ///< clocks with more than one of rows and the reasons against them

 private:
  static constexpr std::uint16_t kSpoiled = 0x7fc0;

  static std::uint16_t operand(Random& random) {
    return static_cast<std::uint16_t>((random.bits16() & 0x807f) | (random.between(118, 136) << 7));
  }
  template <int kDepth>
  static void fill(hls::Ram<Word, kDepth>& buffer, const std::vector<std::uint16_t>& words) {
    typename hls::Ram<Word, kDepth>::Inputs in;
    in.write_enable = hls::UInt1(1);
    for (int row = 0; row < kDepth; ++row) {
      in.write_address = hls::UInt<hls::index_bits(kDepth)>::from(static_cast<unsigned>(row));
      in.write_data = word(words, row);
      buffer.clock(in);
    }
  }
  static Word word(const std::vector<std::uint16_t>& words, int row) {
    Word word;
    for (int n = 0; n < kN; ++n) {
      word[n] = hls::UInt16::from(words[static_cast<std::size_t>(row * kN + n)]);
    }
    return word;
  }

  void push(const kernels::CommandWord& word) {
    commands_.push_back({.word = word, .index = hls::UInt16::from(next_index_++)});
  }

  void note(const typename Engine::Outputs& out) {
    if (out.row_valid) row_at.push_back(now);
    if (hls::bit<kernels::kLoadBit>(out.given)) given_to_load.push_back(now);
    if (hls::bit<kernels::kStoreBit>(out.given)) given_to_store.push_back(now);
    if (hls::bit<kernels::kLoadBit>(out.taken)) --load_tokens;
    if (hls::bit<kernels::kStoreBit>(out.taken)) --store_tokens;
    const hls::UInt1 reasons[] = {out.rows,          out.wait_for_load,    out.wait_for_store,
                                  out.wait_for_sums, out.wait_for_weights, out.wait_for_command};
    const auto set = std::count_if(std::begin(reasons), std::end(reasons),
                                   [](const hls::UInt1& bit) { return bool(bit); });
    counted_twice += set > 1;
    counted.rows += bool(out.rows);
    counted.tiles += bool(out.tiles);
    counted.load += bool(out.wait_for_load);
    counted.store += bool(out.wait_for_store);
    counted.weights += bool(out.wait_for_weights);
    counted.sums += bool(out.wait_for_sums);
    counted.command += bool(out.wait_for_command);
  }

  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Unit> unit_;
  std::unique_ptr<hls::Ram<Word, kernels::kRowBufferRows>> rows_;
  std::unique_ptr<hls::Ram<Word, kernels::kWeightBufferRows>> weights_;
  std::vector<std::uint16_t> row_words_;
  std::vector<std::uint16_t> weight_words_;
  std::vector<std::uint32_t> expected_;
  std::deque<kernels::Command> commands_;
  kernels::CommandWord shape_;
  unsigned next_index_ = 0;
};

}  // namespace systole::tests
