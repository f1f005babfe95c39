#pragma once

#include <memory>
#include <string>

#include "host/board/serial_link.h"
#include "host/device/registry.h"

namespace systole {

/// The backend `board`: an accelerator on an FPGA, through a serial line.
///
/// Limits   bf16 and int8; N is the board's own. `board:PORT` or `board:PORT@BAUD`
/// Numbers  the bits of `model`; clocks as the board counts them
/// Errors   DeviceError as SerialPort's and SerialLink's, and for a board of another N than the
///          options name
/// Source   docs/board.md
BackendEntry board_backend_entry();

/// The same backend on a port, with another patience than the link's own.
std::shared_ptr<Backend> open_board(const DeviceOptions& options, const std::string& path, int baud,
                                    LinkPatience patience = {});

}  // namespace systole
