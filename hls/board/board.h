#pragma once

#include "hls/board/board_link.h"
#include "hls/board/board_memory.h"
#include "hls/kernels/accelerator.h"

namespace systole::board {

/// A board without its pads and its clock: the accelerator of N = 4, its SDRAM, and the serial link
/// to the host.
///
/// Units    step, patience: board_link.h. kMhz is the clock
/// Source   docs/board.md; rtl/shell/systole_ulx3s.sv has the pads
template <int kMhz>
class Board {
 public:
  struct Inputs {
    UInt1 line;
    UInt16 step;
    UInt<24> patience;
    UInt16 data;  ///< from the SDRAM
  };
  struct Outputs {
    UInt1 line;
    UInt1 busy;
    UInt1 faulted;
    UInt1 interrupt;
    SdramPins pins;
  };

  Outputs outputs() const {
    const auto link = link_.outputs();
    return {.line = link.line,
            .busy = slice<0, 0>(link.lights),
            .faulted = slice<1, 1>(link.lights),
            .interrupt = accelerator_.outputs().interrupt,
            .pins = memory_.outputs().pins};
  }

  void clock(const Inputs& in) {
    const auto device = accelerator_.outputs();
    const auto link = link_.outputs();
    const auto memory = memory_.outputs();
    accelerator_.clock({.write_address = link.write_address,
                        .write_data = link.write_data,
                        .write_response_ready = link.write_response_ready,
                        .read_address = link.read_address,
                        .read_data_ready = link.read_data_ready,
                        .memory_read_request_ready = memory.read_request_ready,
                        .memory_read = memory.read,
                        .memory_write_request_ready = memory.write_request_ready,
                        .memory_write_ready = memory.write_ready,
                        .memory_response = memory.response,
                        .up_in = {.valid = UInt1(0), .data = {}},
                        .down_in = {.valid = UInt1(0), .data = {}},
                        .up_out_ready = UInt1(0),
                        .down_out_ready = UInt1(0)});
    link_.clock({.line = in.line,
                 .step = in.step,
                 .patience = in.patience,
                 .identity = {.array_size = UInt32(kBusBytes),
                              .memory_bytes = UInt32(kSdramBytes),
                              .clock_khz = UInt32(1000 * kMhz)},
                 .write_address_ready = device.write_address_ready,
                 .write_data_ready = device.write_data_ready,
                 .write_response = device.write_response,
                 .read_address_ready = device.read_address_ready,
                 .read_data = device.read_data,
                 .access_ready = memory.access_ready,
                 .answer = memory.answer});
    memory_.clock({.read_request = device.memory_read_request,
                   .read_ready = device.memory_read_ready,
                   .write_request = device.memory_write_request,
                   .write = device.memory_write,
                   .response_ready = device.memory_response_ready,
                   .access = link.access,
                   .answer_ready = link.answer_ready,
                   .data = in.data});
  }

  void reset() {
    accelerator_.reset();
    link_.reset();
    memory_.reset();
  }

 private:
  kernels::Accelerator<kBusBytes> accelerator_;
  BoardLink link_;
  BoardMemory<kMhz> memory_;
};

}  // namespace systole::board
