#pragma once

#include "hls/kernels/vector/unit.h"
#include "tests/rtl/ports.h"

namespace systole::tests {

/// The vector unit in lock-step with its RTL. Data of output streams is compared while valid.
template <typename VerilatedModel, int kLanes>
struct VectorUnitTop {
  using Native = kernels::VectorUnit<kLanes>;
  using Inputs = typename Native::Inputs;
  using Model = VerilatedModel;

  static void inputs(Model& model, const Inputs& in, auto&& visit) {
    visit("command_valid_i", model.command_valid_i, in.command.valid);
    visit("command_data_kind_i", model.command_data_kind_i, in.command.data.kind);
    visit("command_data_place_i", model.command_data_place_i, in.command.data.place);
    visit("command_data_last_i", model.command_data_last_i, in.command.data.last);
    visit("command_data_first_word_i", model.command_data_first_word_i, in.command.data.first_word);
    visit("command_data_data_i", model.command_data_data_i, in.command.data.data);
    visit("in0_valid_i", model.in0_valid_i, in.in0.valid);
    visit("in0_data_i", model.in0_data_i, in.in0.data);
    visit("in1_valid_i", model.in1_valid_i, in.in1.valid);
    visit("in1_data_i", model.in1_data_i, in.in1.data);
    visit("in2_valid_i", model.in2_valid_i, in.in2.valid);
    visit("in2_data_i", model.in2_data_i, in.in2.data);
    visit("in3_valid_i", model.in3_valid_i, in.in3.valid);
    visit("in3_data_i", model.in3_data_i, in.in3.data);
    visit("out0_ready_i", model.out0_ready_i, in.out0_ready);
    visit("out1_ready_i", model.out1_ready_i, in.out1_ready);
    visit("out2_ready_i", model.out2_ready_i, in.out2_ready);
    visit("out3_ready_i", model.out3_ready_i, in.out3_ready);
  }

  static void outputs(Model& model, const typename Native::Outputs& out, auto&& visit) {
    visit("command_ready_o", model.command_ready_o, out.command_ready);
    visit("in0_ready_o", model.in0_ready_o, out.in0_ready);
    visit("in1_ready_o", model.in1_ready_o, out.in1_ready);
    visit("in2_ready_o", model.in2_ready_o, out.in2_ready);
    visit("in3_ready_o", model.in3_ready_o, out.in3_ready);
    visit("busy_o", model.busy_o, out.busy);
    visit("holds_o", model.holds_o, out.holds);
    visit("wait_for_input_o", model.wait_for_input_o, out.wait_for_input);
    visit("wait_for_output_o", model.wait_for_output_o, out.wait_for_output);
    visit("out0_valid_o", model.out0_valid_o, out.out0.valid);
    visit("out1_valid_o", model.out1_valid_o, out.out1.valid);
    visit("out2_valid_o", model.out2_valid_o, out.out2.valid);
    visit("out3_valid_o", model.out3_valid_o, out.out3.valid);
    if (out.out0.valid) visit("out0_data_o", model.out0_data_o, out.out0.data);
    if (out.out1.valid) visit("out1_data_o", model.out1_data_o, out.out1.data);
    if (out.out2.valid) visit("out2_data_o", model.out2_data_o, out.out2.data);
    if (out.out3.valid) visit("out3_data_o", model.out3_data_o, out.out3.data);
  }
};

}  // namespace systole::tests
