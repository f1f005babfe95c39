#pragma once

#include "hls/kernels/store_engine.h"
#include "tests/rtl/ports.h"

namespace systole::tests {

/// The store engine in lock-step with its RTL. Data of streams and reads is compared while valid.
template <typename VerilatedModel, int kN>
struct StoreEngineTop {
  using Native = kernels::StoreEngine<kN>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    hls::Vec<hls::UInt<64>, 2> word;
    word[0] = hls::slice<63, 0>(in.command.data.word);
    word[1] = hls::slice<127, 64>(in.command.data.word);
    hls::Vec<kernels::Address, kernels::kWindowCount> base;
    hls::Vec<kernels::Address, kernels::kWindowCount> end;
    hls::UInt<kernels::kWindowCount> open;
    for (int i = 0; i < kernels::kWindowCount; ++i) {
      base[i] = in.windows[i].base;
      end[i] = in.windows[i].end;
      open = open | (hls::UInt<kernels::kWindowCount>(in.windows[i].open)
                     << hls::UInt<2>::from(static_cast<unsigned>(i)));
    }
    visit("command_valid_i", model.command_valid_i, in.command.valid);
    visit("command_data_word_i", model.command_data_word_i, word);
    visit("command_data_index_i", model.command_data_index_i, in.command.data.index);
    visit("tokens_i", model.tokens_i, in.tokens);
    visit("windows_base_i", model.windows_base_i, base);
    visit("windows_end_i", model.windows_end_i, end);
    visit("windows_open_i", model.windows_open_i, open);
    visit("stop_i", model.stop_i, in.stop);
    visit("result_valid_i", model.result_valid_i, in.result_valid);
    visit("result_i", model.result_i, in.result);
    visit("mask_i", model.mask_i, in.mask);
    visit("burst_ready_i", model.burst_ready_i, in.burst_ready);
    visit("write_ready_i", model.write_ready_i, in.write_ready);
    visit("response_valid_i", model.response_valid_i, in.response_valid);
    visit("response_error_i", model.response_error_i, in.response_error);
  }

  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("command_ready_o", model.command_ready_o, out.command_ready);
    visit("taken_o", model.taken_o, out.taken);
    visit("given_o", model.given_o, out.given);
    visit("read_valid_o", model.read_valid_o, out.read_valid);
    visit("mask_read_o", model.mask_read_o, out.mask_read);
    visit("burst_valid_o", model.burst_valid_o, out.burst.valid);
    visit("write_valid_o", model.write_valid_o, out.write.valid);
    visit("response_ready_o", model.response_ready_o, out.response_ready);
    visit("fault_raised_o", model.fault_raised_o, out.fault.raised);
    visit("idle_o", model.idle_o, out.idle);
    visit("waits_o", model.waits_o, out.waits);
    visit("busy_o", model.busy_o, out.busy);
    visit("wait_for_compute_o", model.wait_for_compute_o, out.wait_for_compute);
    visit("wait_for_load_o", model.wait_for_load_o, out.wait_for_load);
    visit("wait_for_bus_o", model.wait_for_bus_o, out.wait_for_bus);
    if (out.read_valid) visit("read_row_o", model.read_row_o, out.read_row);
    if (out.mask_read) visit("mask_row_o", model.mask_row_o, out.mask_row);
    if (out.waits) visit("waiting_command_o", model.waiting_command_o, out.waiting_command);
    if (out.burst.valid) {
      visit("burst_data_address_o", model.burst_data_address_o, out.burst.data.address);
      visit("burst_data_beats_less_one_o", model.burst_data_beats_less_one_o,
            out.burst.data.beats_less_one);
    }
    if (out.write.valid) {
      visit("write_data_data_o", model.write_data_data_o, out.write.data.data);
      visit("write_data_strobe_o", model.write_data_strobe_o, out.write.data.strobe);
      visit("write_data_last_o", model.write_data_last_o, out.write.data.last);
    }
    if (out.fault.raised) {
      visit("fault_code_o", model.fault_code_o, out.fault.code);
      visit("fault_command_o", model.fault_command_o, out.fault.command);
      visit("fault_address_o", model.fault_address_o, out.fault.address);
    }
  }
};

}  // namespace systole::tests
