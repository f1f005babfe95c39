#pragma once

#include "hls/kernels/vector/engine.h"
#include "tests/rtl/vector/stream_tops.h"

namespace systole::tests {

/// The vector engine in lock-step with its RTL. Data is compared while valid.
template <typename VerilatedModel, int kN>
struct VectorEngineTop {
  using Native = kernels::VectorEngine<kN>;
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
    visit_windows(in.read_windows, [&](const auto& base, const auto& end, const auto& open) {
      visit("read_windows_base_i", model.read_windows_base_i, base);
      visit("read_windows_end_i", model.read_windows_end_i, end);
      visit("read_windows_open_i", model.read_windows_open_i, open);
    });
    visit_windows(in.write_windows, [&](const auto& base, const auto& end, const auto& open) {
      visit("write_windows_base_i", model.write_windows_base_i, base);
      visit("write_windows_end_i", model.write_windows_end_i, end);
      visit("write_windows_open_i", model.write_windows_open_i, open);
    });
    visit("stop_i", model.stop_i, in.stop);
    visit("read_burst_ready_i", model.read_burst_ready_i, in.read_burst_ready);
    visit("read_valid_i", model.read_valid_i, in.read.valid);
    visit("read_data_data_i", model.read_data_data_i, in.read.data.data);
    visit("read_data_error_i", model.read_data_error_i, in.read.data.error);
    visit("read_data_last_i", model.read_data_last_i, in.read.data.last);
    visit("write_burst_ready_i", model.write_burst_ready_i, in.write_burst_ready);
    visit("write_ready_i", model.write_ready_i, in.write_ready);
    visit("response_valid_i", model.response_valid_i, in.response_valid);
    visit("response_error_i", model.response_error_i, in.response_error);
    visit("up_in_valid_i", model.up_in_valid_i, in.up_in.valid);
    visit("up_in_data_lanes_i", model.up_in_data_lanes_i, in.up_in.data.lanes);
    visit("up_in_data_last_i", model.up_in_data_last_i, in.up_in.data.last);
    visit("down_in_valid_i", model.down_in_valid_i, in.down_in.valid);
    visit("down_in_data_lanes_i", model.down_in_data_lanes_i, in.down_in.data.lanes);
    visit("down_in_data_last_i", model.down_in_data_last_i, in.down_in.data.last);
    visit("up_out_ready_i", model.up_out_ready_i, in.up_out_ready);
    visit("down_out_ready_i", model.down_out_ready_i, in.down_out_ready);
    visit("link_patience_i", model.link_patience_i, in.link_patience);
  }
  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("command_ready_o", model.command_ready_o, out.command_ready);
    visit("taken_o", model.taken_o, out.taken);
    visit("given_o", model.given_o, out.given);
    visit("idle_o", model.idle_o, out.idle);
    visit("draining_o", model.draining_o, out.draining);
    visit("waits_o", model.waits_o, out.waits);
    if (out.waits) visit("waiting_command_o", model.waiting_command_o, out.waiting_command);
    visit("busy_o", model.busy_o, out.busy);
    visit("wait_for_load_o", model.wait_for_load_o, out.wait_for_load);
    visit("wait_for_compute_o", model.wait_for_compute_o, out.wait_for_compute);
    visit("wait_for_store_o", model.wait_for_store_o, out.wait_for_store);
    visit("wait_for_vector_o", model.wait_for_vector_o, out.wait_for_vector);
    visit("wait_for_input_o", model.wait_for_input_o, out.wait_for_input);
    visit("wait_for_output_o", model.wait_for_output_o, out.wait_for_output);
    visit("read_burst_valid_o", model.read_burst_valid_o, out.read_burst.valid);
    visit("write_burst_valid_o", model.write_burst_valid_o, out.write_burst.valid);
    visit("write_valid_o", model.write_valid_o, out.write.valid);
    if (out.read_burst.valid) {
      visit("read_burst_data_address_o", model.read_burst_data_address_o,
            out.read_burst.data.address);
      visit("read_burst_data_beats_less_one_o", model.read_burst_data_beats_less_one_o,
            out.read_burst.data.beats_less_one);
    }
    if (out.write_burst.valid) {
      visit("write_burst_data_address_o", model.write_burst_data_address_o,
            out.write_burst.data.address);
      visit("write_burst_data_beats_less_one_o", model.write_burst_data_beats_less_one_o,
            out.write_burst.data.beats_less_one);
    }
    if (out.write.valid) {
      visit("write_data_data_o", model.write_data_data_o, out.write.data.data);
      visit("write_data_strobe_o", model.write_data_strobe_o, out.write.data.strobe);
      visit("write_data_last_o", model.write_data_last_o, out.write.data.last);
    }
    visit("up_in_ready_o", model.up_in_ready_o, out.up_in_ready);
    visit("down_in_ready_o", model.down_in_ready_o, out.down_in_ready);
    visit("up_out_valid_o", model.up_out_valid_o, out.up_out.valid);
    if (out.up_out.valid) {
      visit("up_out_data_lanes_o", model.up_out_data_lanes_o, out.up_out.data.lanes);
      visit("up_out_data_last_o", model.up_out_data_last_o, out.up_out.data.last);
    }
    visit("down_out_valid_o", model.down_out_valid_o, out.down_out.valid);
    if (out.down_out.valid) {
      visit("down_out_data_lanes_o", model.down_out_data_lanes_o, out.down_out.data.lanes);
      visit("down_out_data_last_o", model.down_out_data_last_o, out.down_out.data.last);
    }
    visit("link_wait_for_beat_o", model.link_wait_for_beat_o, out.link_wait_for_beat);
    visit("link_wait_for_room_o", model.link_wait_for_room_o, out.link_wait_for_room);
    visit_fault(model, out.fault, visit);
  }
};

}  // namespace systole::tests
