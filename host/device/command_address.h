#pragma once

#include "host/device/device_map.h"

namespace systole {

/// The command with `change(address)` for the address that it has in memory, if it has one. All
/// other bits stay, also those without a meaning.
template <typename Change>
device::CommandWord with_address(const device::CommandWord& command, const Change& change) {
  const auto changed = [&](auto decoded) {
    const device::CommandWord before = encode(decoded);
    decoded.address = change(decoded.address);
    const device::CommandWord after = encode(decoded);
    return device::CommandWord{.low = command.low ^ before.low ^ after.low,
                               .high = command.high ^ before.high ^ after.high};
  };
  switch (device::opcode_of(command)) {
    case device::Opcode::kLoad:
      return changed(device::decode_load(command));
    case device::Opcode::kStore:
      return changed(device::decode_store(command));
    case device::Opcode::kVectorProgram:
      return changed(device::decode_vector_program(command));
    case device::Opcode::kVectorStream: {
      const device::VectorStream stream = device::decode_vector_stream(command);
      return stream.end == device::VectorStreamEnd::kMemory ? changed(stream) : command;
    }
    default:
      return command;
  }
}

}  // namespace systole
