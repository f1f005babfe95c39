#pragma once

#include <string>

#include "host/device/device_map.h"

namespace systole::verify {

/// A command in words: "load rows bf16 [0x2040] -> row 12, wait compute, signal compute".
std::string disassemble(const device::CommandWord& command);

}  // namespace systole::verify
