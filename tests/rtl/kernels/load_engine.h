#pragma once

#include "hls/kernels/load_engine.h"
#include "tests/rtl/lockstep.h"
#include "tests/support/load_traffic.h"

namespace systole::tests {

template <typename VerilatedModel, int kN>
struct LoadEngineTop {
  using Native = kernels::LoadEngine<kN>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;
  static constexpr int kSize = kN;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("command_valid_i", model.command_valid_i, in.command.valid);
    visit("command_data_word_i", model.command_data_word_i, halves(in.command.data.word));
    visit("command_data_index_i", model.command_data_index_i, in.command.data.index);
    visit("tokens_i", model.tokens_i, in.tokens);
    hls::Vec<hls::UInt<40>, kernels::kWindowCount> base, end;
    hls::UInt<kernels::kWindowCount> open;
    for (int i = 0; i < kernels::kWindowCount; ++i) {
      const kernels::Window& window = in.windows[i];
      const auto place = hls::UInt<3>::from(static_cast<unsigned>(i));
      base[i] = window.base;
      end[i] = window.end;
      open = open | (hls::UInt<kernels::kWindowCount>(window.open) << place);
    }
    set_addresses(model.windows_base_i, base);
    set_addresses(model.windows_end_i, end);
    visit("windows_open_i", model.windows_open_i, open);
    visit("stop_i", model.stop_i, in.stop);
    visit("burst_ready_i", model.burst_ready_i, in.burst_ready);
    visit("read_valid_i", model.read_valid_i, in.read.valid);
    visit("read_data_data_i", model.read_data_data_i, in.read.data.data);
    visit("read_data_error_i", model.read_data_error_i, in.read.data.error);
    visit("read_data_last_i", model.read_data_last_i, in.read.data.last);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("command_ready_o", model.command_ready_o, out.command_ready);
    visit("taken_o", model.taken_o, out.taken);
    visit("given_o", model.given_o, out.given);
    visit("burst_valid_o", model.burst_valid_o, out.burst.valid);
    visit("burst_data_address_o", model.burst_data_address_o, out.burst.data.address);
    visit("burst_data_beats_less_one_o", model.burst_data_beats_less_one_o,
          out.burst.data.beats_less_one);
    visit("read_ready_o", model.read_ready_o, out.read_ready);
    visit("rows_valid_o", model.rows_valid_o, out.rows_valid);
    visit("weights_valid_o", model.weights_valid_o, out.weights_valid);
    visit("accumulators_valid_o", model.accumulators_valid_o, out.accumulators_valid);
    visit("masks_valid_o", model.masks_valid_o, out.masks_valid);
    visit("row_o", model.row_o, out.row);
    visit("operands_o", model.operands_o, out.operands);
    visit("sums_o", model.sums_o, out.sums);
    visit("mask_o", model.mask_o, out.mask);
    visit("fault_raised_o", model.fault_raised_o, out.fault.raised);
    visit("fault_code_o", model.fault_code_o, out.fault.code);
    visit("fault_command_o", model.fault_command_o, out.fault.command);
    visit("fault_address_o", model.fault_address_o, out.fault.address);
    visit("idle_o", model.idle_o, out.idle);
    visit("waits_o", model.waits_o, out.waits);
    visit("waiting_command_o", model.waiting_command_o, out.waiting_command);
    visit("busy_o", model.busy_o, out.busy);
    visit("wait_for_compute_o", model.wait_for_compute_o, out.wait_for_compute);
    visit("wait_for_store_o", model.wait_for_store_o, out.wait_for_store);
    visit("wait_for_bus_o", model.wait_for_bus_o, out.wait_for_bus);
    visit("wait_for_data_o", model.wait_for_data_o, out.wait_for_data);
  }

 private:
  static hls::Vec<hls::UInt<64>, 2> halves(const hls::UInt<128>& word) {
    hls::Vec<hls::UInt<64>, 2> result;
    result[0] = hls::slice<63, 0>(word);
    result[1] = hls::slice<127, 64>(word);
    return result;
  }
  /// 40-bit elements side by side; the harness moves lanes of whole words only.
  template <typename Port>
  static void set_addresses(Port& port, const hls::Vec<hls::UInt<40>, kernels::kWindowCount>& all) {
    for (int i = 0; i < kernels::kWindowCount; ++i) {
      const std::uint64_t address = all[i].value();
      std::memcpy(reinterpret_cast<char*>(&port) + 5 * i, &address, 5);
    }
  }
};

struct LoadLockstepReport {
  std::uint64_t compared_edges = 0;
  std::uint64_t mismatches = 0;
  std::uint64_t fewest_changes = 0;
  std::string first_mismatch;
  std::size_t words = 0;
  std::size_t faults = 0;
  int resets = 0;
};

/// Runs of legal loads, each with its own pace, tokens and windows; some end in a fault, a stop or
/// a reset. The first run brings every visible register to a known value.
template <typename Top>
LoadLockstepReport run_load_lockstep(std::uint64_t seed, std::uint64_t edges) {
  constexpr int kN = Top::kSize;
  Random random(seed);
  Lockstep<Top> both(seed);
  LoadLockstepReport report;
  // Traffic depends on the engine's outputs, so a third engine, in C++, runs along.
  auto shown = std::make_unique<typename Top::Native>();
  LoadTraffic<kN> traffic(random.bits(), {});
  const auto clock = [&](bool in_reset = false) {
    const auto in = traffic.next(shown->outputs());
    both.clock(in, in_reset);
    shown->clock(in);
    if (in_reset) shown->reset();
  };
  const auto reset = [&] {
    for (int i = random.between(1, 3); i > 0; --i) clock(true);
    traffic.forget();
    ++report.resets;
  };
  const auto run_until_idle = [&](int limit) {
    for (int i = 0; i < limit; ++i) {
      clock();
      if (!traffic.commands_left() && shown->outputs().idle) return;
    }
  };
  const auto stop = [&] {
    traffic.stop(true);
    run_until_idle(5000);
    traffic.stop(false);
    clock();
  };

  // Words in all buffers, every place of the queues, both faults.
  reset();
  for (int buffer = 0; buffer < 4; ++buffer) {
    reference::LoadBlock block;
    block.address = 0x1000;
    block.rows = kernels::kLoadSegments;
    block.cols = 4 * kN;
    block.buffer = static_cast<reference::LoadBuffer>(buffer);
    block.element_bytes = buffer == 2 ? 4 : 2;
    for (int i = 0; i < 2 * kernels::kLoadBlocks; ++i) {
      traffic.load({.block = block});
      block.rows = 1;
    }
  }
  run_until_idle(100'000);
  traffic.fail_beat(0);
  traffic.load({});
  for (int i = 0; i < 100; ++i) clock();
  stop();
  traffic.close(0);
  traffic.load({});
  for (int i = 0; i < 100; ++i) clock();
  stop();
  reset();
  both.compare_from_here();

  while (both.compared_edges() < edges) {
    traffic.set_pace({.latency = random.between(1, 70),
                      .ready_of_8 = random.between(1, 8),
                      .beats_of_8 = random.between(1, 8),
                      .command_of_8 = random.between(1, 8)});
    traffic.open(0, 0, kLastAddress);
    const std::uint32_t kind = random.below(8);
    if (kind == 0) {
      const std::uint64_t base = random_address(random);
      traffic.open(0, base, base + random.below(3000));
    }
    for (int i = random.between(1, 6); i > 0; --i) {
      const unsigned wait = random.below(3) ? 0 : 2 * random.below(4);
      const auto block = random.below(3) ? random_block(random, kN) : random_patches(random, kN);
      traffic.load({.block = block, .wait = wait, .signal = 2 * random.below(4)});
      for (int e = 1; e < 3; ++e) {
        // Occasionally a token never comes.
        if ((wait >> e & 1) != 0 && random.below(12) != 0)
          traffic.give_token_later(e, random.below(300));
      }
    }
    if (kind == 1) traffic.fail_beat(static_cast<int>(random.below(60)));
    run_until_idle(random.below(3) ? 1000 : static_cast<int>(random.below(400)));
    if (random.below(4) == 0 && traffic.beats_owed() == 0) {
      reset();
    } else if (!shown->outputs().idle || traffic.commands_left()) {
      stop();
    }
    traffic.fail_beat(-1);
    traffic.drop_tokens();
  }
  report.compared_edges = both.compared_edges();
  report.mismatches = both.mismatches();
  report.fewest_changes = both.fewest_changes();
  if (both.mismatches() > 0) report.first_mismatch = both.first_mismatch().message();
  report.words = traffic.words().size();
  report.faults = traffic.faults().size();
  return report;
}

}  // namespace systole::tests
