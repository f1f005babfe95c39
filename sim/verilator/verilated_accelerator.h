#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "sim/memory/axi_signals.h"

namespace systole::sim {

/// The Verilated accelerator as a SimulatedDevice.
///
/// Shapes   Verilator keeps a port of up to 64 bits in an integer and a wider one in 32-bit words,
///          lowest first; on a little-endian host both are the bus's bytes in order and are copied
///          unchanged
/// Timing   outputs depend on registers alone: they are read once the edge has passed
template <typename Model, int kSize, int kBusBytes = kSize>
class VerilatedAccelerator {
  static_assert(std::endian::native == std::endian::little);
  static_assert(sizeof Model::up_in_data_lanes_i == kSize);

 public:
  static constexpr int kN = kSize;
  static constexpr int kBus = kBusBytes;

  explicit VerilatedAccelerator(std::unique_ptr<Model> model) : model_(std::move(model)) {}

  void reset() {
    model_->rst_ni = 0;
    for (int edge = 0; edge < 2; ++edge) clock({});
    model_->rst_ni = 1;
    model_->eval();
  }

  void show(FromDevice& from) const {
    const Model& model = *model_;
    AxiFromDevice& axi = from.axi;
    axi.read_request = {.address = model.memory_read_request_data_address_o,
                        .beats_less_one = model.memory_read_request_data_beats_less_one_o,
                        .id = model.memory_read_request_data_id_o,
                        .valid = model.memory_read_request_valid_o != 0};
    axi.write_request = {.address = model.memory_write_request_data_address_o,
                         .beats_less_one = model.memory_write_request_data_beats_less_one_o,
                         .valid = model.memory_write_request_valid_o != 0};
    axi.write.valid = model.memory_write_valid_o != 0;
    if (axi.write.valid) {
      axi.write.last = model.memory_write_data_last_o != 0;
      static_assert(sizeof model.memory_write_data_strobe_o * 8 >= kBus);
      std::memcpy(axi.write.strobe.data(), &model.memory_write_data_strobe_o,
                  sizeof model.memory_write_data_strobe_o);
      static_assert(sizeof model.memory_write_data_data_o == kBus);
      std::memcpy(axi.write.data.data(), &model.memory_write_data_data_o, kBus);
    }
    axi.read_ready = model.memory_read_ready_o != 0;
    axi.response_ready = model.memory_response_ready_o != 0;

    LiteFromDevice& lite = from.lite;
    lite.write_address_ready = model.write_address_ready_o != 0;
    lite.write_data_ready = model.write_data_ready_o != 0;
    lite.write_response_valid = model.write_response_valid_o != 0;
    lite.write_response = model.write_response_data_o;
    lite.read_address_ready = model.read_address_ready_o != 0;
    lite.read_data_valid = model.read_data_valid_o != 0;
    lite.read_data = model.read_data_data_data_o;
    lite.read_response = model.read_data_data_response_o;
    from.interrupt = model.interrupt_o != 0;

    from.up.in_ready = model.up_in_ready_o != 0;
    from.up.out.valid = model.up_out_valid_o != 0;
    if (from.up.out.valid) {
      from.up.out.last = model.up_out_data_last_o != 0;
      std::memcpy(from.up.out.lanes.data(), &model.up_out_data_lanes_o, kN);
    }
    from.down.in_ready = model.down_in_ready_o != 0;
    from.down.out.valid = model.down_out_valid_o != 0;
    if (from.down.out.valid) {
      from.down.out.last = model.down_out_data_last_o != 0;
      std::memcpy(from.down.out.lanes.data(), &model.down_out_data_lanes_o, kN);
    }
  }

  void clock(const ToDevice& to) {
    Model& model = *model_;
    const LiteToDevice& lite = to.lite;
    model.write_address_valid_i = lite.write_address_valid;
    model.write_address_data_i = lite.write_address;
    model.write_data_valid_i = lite.write_data_valid;
    model.write_data_data_data_i = lite.write_data;
    model.write_data_data_strobe_i = lite.write_strobe;
    model.write_response_ready_i = lite.write_response_ready;
    model.read_address_valid_i = lite.read_address_valid;
    model.read_address_data_i = lite.read_address;
    model.read_data_ready_i = lite.read_data_ready;

    const AxiToDevice& axi = to.axi;
    model.memory_read_valid_i = axi.read.valid;
    if (axi.read.valid) {
      model.memory_read_data_error_i = axi.read.error;
      model.memory_read_data_last_i = axi.read.last;
      model.memory_read_data_id_i = axi.read.id;
      static_assert(sizeof model.memory_read_data_data_i == kBus);
      std::memcpy(&model.memory_read_data_data_i, axi.read.data.data(), kBus);
    }
    model.memory_read_request_ready_i = axi.read_request_ready;
    model.memory_write_request_ready_i = axi.write_request_ready;
    model.memory_write_ready_i = axi.write_ready;
    model.memory_response_valid_i = axi.response.valid;
    model.memory_response_data_i = axi.response.error;

    model.up_out_ready_i = to.up.out_ready;
    model.up_in_valid_i = to.up.in.valid;
    if (to.up.in.valid) {
      model.up_in_data_last_i = to.up.in.last;
      std::memcpy(&model.up_in_data_lanes_i, to.up.in.lanes.data(), kN);
    }
    model.down_out_ready_i = to.down.out_ready;
    model.down_in_valid_i = to.down.in.valid;
    if (to.down.in.valid) {
      model.down_in_data_last_i = to.down.in.last;
      std::memcpy(&model.down_in_data_lanes_i, to.down.in.lanes.data(), kN);
    }

    model.clk_i = 1;
    model.eval();
    fall();
  }

 private:
  /// The falling edge, at which nothing changes. If the model's root is known (the source includes
  /// its header), the edge is only noted where Verilator remembers the clock; otherwise it is
  /// evaluated, at a cost of about 3% of the simulation.
  void fall() {
    Model& model = *model_;
    model.clk_i = 0;
    if constexpr (requires { model.rootp->__Vtrigrprev__TOP__clk_i; }) {
      model.rootp->__Vtrigrprev__TOP__clk_i = 0;  // Verilator 5.006
    } else if constexpr (requires { model.rootp->__Vtrigprevexpr___TOP__clk_i__0; }) {
      model.rootp->__Vtrigprevexpr___TOP__clk_i__0 = 0;  // Verilator 5.48
    } else {
      model.eval();
    }
  }

  std::unique_ptr<Model> model_;
};

}  // namespace systole::sim
