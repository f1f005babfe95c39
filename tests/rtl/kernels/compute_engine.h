#pragma once

#include <algorithm>
#include <deque>

#include "hls/kernels/compute_engine.h"
#include "tests/rtl/traffic.h"

namespace systole::tests {

/// The compute engine in lock-step with its RTL. The fields of a read, a row or a weight are
/// compared when it is valid.
template <typename VerilatedModel, int kN>
struct ComputeEngineTop {
  using Native = kernels::ComputeEngine<kN>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    hls::Vec<hls::UInt<64>, 2> word;
    word[0] = hls::slice<63, 0>(in.command.data.word);
    word[1] = hls::slice<127, 64>(in.command.data.word);
    visit("command_valid_i", model.command_valid_i, in.command.valid);
    visit("command_data_word_i", model.command_data_word_i, word);
    visit("command_data_index_i", model.command_data_index_i, in.command.data.index);
    visit("tokens_i", model.tokens_i, in.tokens);
    visit("stop_i", model.stop_i, in.stop);
    visit("rows_data_i", model.rows_data_i, in.rows_data);
    visit("weights_data_i", model.weights_data_i, in.weights_data);
  }

  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("command_ready_o", model.command_ready_o, out.command_ready);
    visit("taken_o", model.taken_o, out.taken);
    visit("given_o", model.given_o, out.given);
    visit("rows_read_o", model.rows_read_o, out.rows_read);
    visit("weights_read_o", model.weights_read_o, out.weights_read);
    visit("row_valid_o", model.row_valid_o, out.row_valid);
    visit("weight_valid_o", model.weight_valid_o, out.weight_valid);
    visit("idle_o", model.idle_o, out.idle);
    visit("waits_o", model.waits_o, out.waits);
    visit("rows_o", model.rows_o, out.rows);
    visit("tiles_o", model.tiles_o, out.tiles);
    visit("wait_for_load_o", model.wait_for_load_o, out.wait_for_load);
    visit("wait_for_store_o", model.wait_for_store_o, out.wait_for_store);
    visit("wait_for_weights_o", model.wait_for_weights_o, out.wait_for_weights);
    visit("wait_for_sums_o", model.wait_for_sums_o, out.wait_for_sums);
    visit("wait_for_command_o", model.wait_for_command_o, out.wait_for_command);
    if (out.waits) visit("waiting_command_o", model.waiting_command_o, out.waiting_command);
    if (out.rows_read) visit("rows_address_o", model.rows_address_o, out.rows_address);
    if (out.weights_read) visit("weights_address_o", model.weights_address_o, out.weights_address);
    if (out.row_valid) {
      visit("activation_o", model.activation_o, out.activation);
      visit("plane_o", model.plane_o, out.plane);
      visit("is_int8_o", model.is_int8_o, out.is_int8);
      visit("row_o", model.row_o, out.row);
      visit("accumulate_o", model.accumulate_o, out.accumulate);
    }
    if (out.weight_valid) {
      visit("weight_o", model.weight_o, out.weight);
      visit("weight_column_o", model.weight_column_o, out.weight_column);
      visit("weight_plane_o", model.weight_plane_o, out.weight_plane);
    }
  }
};

/// A queue of random products before the engine, and the tokens that it sees.
///
/// Limits   tokens are given in time, so every product ends
template <int kN>
class ComputeTraffic {
 public:
  using Engine = kernels::ComputeEngine<kN>;
  using Inputs = typename Engine::Inputs;
  using Outputs = typename Engine::Outputs;

  ComputeTraffic(std::uint64_t seed, int products) : random_(seed) {
    token_clocks_ = random_.below(2) == 0 ? 1 : static_cast<std::uint32_t>(random_.between(2, 80));
    for (int i = 0; i < products; ++i) {
      if (i == 0 || random_.below(3) == 0) push(shape());
      push(product());
    }
  }

  void stop() { stopped_ = true; }
  bool done() const { return commands_.empty(); }

  Inputs inputs() {
    Inputs in;
    if (!offered_) offered_ = !commands_.empty() && bool(offers_.next(random_));
    in.command.valid = hls::as_bit(offered_);
    if (offered_) in.command.data = commands_.front();
    for (int bit : {kernels::kLoadBit, kernels::kStoreBit}) {
      if (random_.below(token_clocks_) == 0) tokens_ |= 1u << bit;
    }
    in.tokens = hls::UInt<3>::from(tokens_);
    in.stop = hls::as_bit(stopped_);
    for (int n = 0; n < kN; ++n) {
      in.rows_data[n] = hls::UInt16::from(random_.bits16());
      in.weights_data[n] = hls::UInt16::from(random_.bits16());
    }
    return in;
  }

  void observe(const Outputs& out) {
    if (offered_ && out.command_ready) {
      commands_.pop_front();
      offered_ = false;
    }
    tokens_ &= ~static_cast<unsigned>(out.taken.value());
    rows += bool(out.row_valid);
    tokens_given += out.given != hls::UInt<3>(0);
    waits_for_sums += bool(out.wait_for_sums);
  }

  std::uint64_t rows = 0;
  int tokens_given = 0;
  int waits_for_sums = 0;

 private:
  struct Halves {
    std::uint64_t low;
    std::uint64_t high;
  };
  void push(const Halves& word) {
    commands_.push_back(
        {.word = hls::concat(hls::UInt<64>::from(word.high), hls::UInt<64>::from(word.low)),
         .index = hls::UInt16::from(random_.bits16())});
  }
  std::uint64_t any16() { return random_.bits16(); }

  Halves shape() {
    const int sizes[] = {1, kN - 1, kN, kN + 1, 2 * kN + 1, random_.between(1, 5 * kN)};
    shape_rows_ = static_cast<std::uint64_t>(sizes[random_.below(std::size(sizes))]);
    return {.low = kernels::kOpcodeMatmulShape | shape_rows_ << 16 | any16() << 32 | any16() << 48,
            .high = static_cast<std::uint64_t>(random_.between(1, 4)) |
                    static_cast<std::uint64_t>(random_.between(1, kN)) << 16};
  }

  /// Sums often meet the first or last ones of the previous product.
  Halves product() {
    const std::uint64_t wait = random_.below(3) == 0 ? random_.below(8) & 5u : 0;
    const std::uint64_t last = random_.below(2) * (shape_rows_ - 1);
    const std::uint64_t sum_row = random_.below(4) == 0 ? any16() : last + random_.below(4);
    return {.low = kernels::kOpcodeMatmul | wait << 8 | (random_.below(8) & 5u) << 11 |
                   any16() << 16 | any16() << 32 | sum_row << 48,
            .high = random_.below(32)};
  }

  Random random_;
  Traffic offers_;
  std::deque<kernels::Command> commands_;
  bool offered_ = false;
  bool stopped_ = false;
  unsigned tokens_ = 0;
  std::uint32_t token_clocks_ = 1;
  std::uint64_t shape_rows_ = 1;
};

}  // namespace systole::tests
