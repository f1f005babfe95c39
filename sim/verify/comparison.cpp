#include "sim/verify/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace systole::verify {
namespace {

using device::Count;
using device::FaultCode;

std::span<std::byte> bytes(DeviceMemory& memory, const Block& block) {
  return memory.elements<std::byte>(block.base, static_cast<std::int64_t>(block.size));
}

Words compare_block(std::string_view name, const Block& block, DeviceMemory& device,
                    DeviceMemory& expected) {
  const auto got = bytes(device, block), want = bytes(expected, block);
  const auto [g, w] = std::mismatch(got.begin(), got.end(), want.begin());
  if (g == got.end()) return std::nullopt;
  const auto offset = static_cast<std::uint64_t>(g - got.begin());
  const auto count = std::inner_product(got.begin(), got.end(), want.begin(), 0, std::plus<>(),
                                        std::not_equal_to<>());
  return fmt::format(
      "{} of {} bytes of the {} differ; the first at {:#x}: {:#04x}, expected {:#04x}", count,
      block.size, name, block.base + offset, static_cast<unsigned>(*g), static_cast<unsigned>(*w));
}

/// Rows and tiles that a program's products send through the array.
std::pair<std::uint64_t, std::uint64_t> work_of(const Program& program) {
  device::MatmulShape shape;
  std::uint64_t rows = 0, tiles = 0;
  for (const device::CommandWord& word : program.commands) {
    if (device::opcode_of(word) == device::Opcode::kMatmulShape) {
      shape = device::decode_matmul_shape(word);
    } else if (device::opcode_of(word) == device::Opcode::kMatmul) {
      const device::Matmul product = device::decode_matmul(word);
      rows += std::uint64_t{shape.tiles} * (shape.rows + (product.ones_row ? 1u : 0u));
      tiles += shape.tiles;
    }
  }
  return {rows, tiles};
}

Words compare_done(const Program& program, const Outcome& outcome, std::uint32_t marker) {
  const auto differ = [](std::string_view what, std::uint64_t got, std::uint64_t want) -> Words {
    if (got == want) return std::nullopt;
    return fmt::format("{} is {}, expected {}", what, got, want);
  };
  const auto counter = [&](Count count) {
    return outcome.counters[static_cast<std::size_t>(count)];
  };
  const auto [rows, tiles] = work_of(program);
  if (outcome.fault != FaultCode::kNone) {
    return fmt::format("fault {} at command {}, address {:#x}; expected none",
                       device::kFaultNames[static_cast<std::size_t>(outcome.fault)],
                       outcome.command, outcome.address);
  }
  if (auto d = differ("the head", outcome.head, program.commands.size())) return d;
  if (auto d = differ("the marker", outcome.marker, marker)) return d;
  if (auto d = differ("the counter commands", counter(Count::kCommands), program.commands.size())) {
    return d;
  }
  if (auto d = differ("the counter rows", counter(Count::kRows), rows)) return d;
  return differ("the counter tiles", counter(Count::kTiles), tiles);
}

/// Whether a command's marker, or none, may be shown after a fault. Every fence before the command
/// that met the fault has been passed, and none after it; of one that belongs to no command, the
/// index is that of the fence at which the device stood.
Words compare_marker(const Program& program, const Outcome& outcome) {
  const bool no_command =
      outcome.fault == FaultCode::kRingOverrun || outcome.fault == FaultCode::kTokenOverflow;
  std::uint32_t last = 0, next = 0;
  for (std::size_t i = 0; i < program.commands.size() && i <= outcome.command; ++i) {
    const device::CommandWord& word = program.commands[i];
    if (device::opcode_of(word) != device::Opcode::kFence) continue;
    next = device::decode_fence(word).marker;
    if (i < outcome.command) last = next;
  }
  if (outcome.marker == last || (no_command && outcome.marker == next)) return std::nullopt;
  return fmt::format("the marker is {:#x} after a fault at command {}, expected {:#x}",
                     outcome.marker, outcome.command, last);
}

/// What has been handed on is counted; of what the sequencer refuses, and of all after it, nothing.
Words compare_head(const Case& which, const Program& program, const Outcome& outcome) {
  const auto counted = outcome.counters[static_cast<std::size_t>(Count::kCommands)];
  if (counted != outcome.head) {
    return fmt::format("{} commands are counted, and the head is {}", counted, outcome.head);
  }
  const bool is_refused = outcome.fault == FaultCode::kMissingShape ||
                          (outcome.fault == FaultCode::kIllegalCommand &&
                           !device::is_legal(program.commands[outcome.command], which.array_size));
  if (is_refused && outcome.head != outcome.command) {
    return fmt::format("the head is {} after command {} was refused", outcome.head,
                       outcome.command);
  }
  return std::nullopt;
}

Words compare_fault(const Case& which, const Program& program, const Outcome& outcome,
                    const ProgramFault& expected) {
  const FaultCode code = fault_of(program.ending);
  if (outcome.fault != code) {
    return fmt::format("fault {} at command {}, address {:#x}; expected {}",
                       device::kFaultNames[static_cast<std::size_t>(outcome.fault)],
                       outcome.command, outcome.address,
                       device::kFaultNames[static_cast<std::size_t>(code)]);
  }
  const bool ring = program.ending == Ending::kRingWindow || program.ending == Ending::kRingError;
  if (outcome.command >= program.commands.size() && code != FaultCode::kRingOverrun) {
    return fmt::format("fault at command {} of {}", outcome.command, program.commands.size());
  }
  if (auto d = compare_marker(program, outcome)) return d;
  if (auto d = compare_head(which, program, outcome)) return d;
  const bool interpreted = expected.code == code && !ring;
  if (!interpreted && !ring) return std::nullopt;
  const std::uint32_t command = ring ? 0 : expected.command;
  if (outcome.command != command) {
    return fmt::format("fault at command {}, expected at {}", outcome.command, command);
  }
  const bool has_address = code == FaultCode::kReadWindow || code == FaultCode::kWriteWindow;
  const std::uint64_t address = ring ? ring_base(which, program) : expected.address;
  if (has_address && outcome.address != address) {
    return fmt::format("fault at address {:#x}, expected {:#x}", outcome.address, address);
  }
  return std::nullopt;
}

}  // namespace

std::byte* ExpectedMemory::locate(std::uint64_t address, std::int64_t size_bytes) {
  const auto size = static_cast<std::uint64_t>(size_bytes);
  if (address < trap_.end() && address + size > trap_.base) return nullptr;
  return memory.find(address, size);
}

void open_windows(const Case& which, ProgramInterpreter& interpreter) {
  std::vector<ProgramWindow> open;
  for (const auto& [block, readable, writable] : windows(which.layout)) {
    open.push_back({block.base, block.end(), readable, writable});
  }
  interpreter.set_windows(open);
}

void take_over(const Case& which, DeviceMemory& memory, ExpectedMemory& expected) {
  // A failing program's own stores depend on timing.
  const Layout& layout = which.layout;
  std::ranges::copy(bytes(memory, layout.outputs), bytes(expected.memory, layout.outputs).begin());
  std::ranges::copy(bytes(memory, layout.closed), bytes(expected.memory, layout.closed).begin());
}

Words compare(const Case& which, const Program& program, const Outcome& outcome,
              const ExpectedEnd& expected_end, DeviceMemory& memory, ExpectedMemory& expected) {
  const Layout& layout = which.layout;
  for (const auto& [name, block] :
       {std::pair{"inputs", layout.inputs}, {"closed block", layout.closed}}) {
    if (program.ending == Ending::kRingWindow && block.base == layout.closed.base) continue;
    if (auto d = compare_block(name, block, memory, expected.memory)) return d;
  }
  if (program.ending == Ending::kDone) {
    if (auto d = compare_done(program, outcome, expected_end.marker)) return d;
    return compare_block("outputs", layout.outputs, memory, expected.memory);
  }
  take_over(which, memory, expected);
  if (program.ending == Ending::kReset) return std::nullopt;
  return compare_fault(which, program, outcome, expected_end.fault);
}

}  // namespace systole::verify
