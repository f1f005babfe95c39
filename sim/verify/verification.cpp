#include "sim/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "sim/device/program_interpreter.h"
#include "sim/verify/disassembly.h"

namespace systole::verify {
namespace {

using device::Count;
using device::FaultCode;
using Words = std::optional<std::string>;  // a difference in words

/// The interpreter's memory: a copy of the device's, whose trap fails.
class ExpectedMemory final : public ProgramMemory {
 public:
  explicit ExpectedMemory(const Case& which)
      : memory(make_memory(which)), trap_(which.layout.trap) {}
  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
    const auto size = static_cast<std::uint64_t>(size_bytes);
    if (address < trap_.end() && address + size > trap_.base) return nullptr;
    return memory.find(address, size);
  }
  DeviceMemory memory;

 private:
  Block trap_;
};

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

Words check_program(const Case& which, const Program& program, sim::DevicePort& port,
                    DeviceMemory& memory, ExpectedMemory& expected, Coverage* coverage) {
  const Outcome outcome = run_program(which, program, port, memory);
  if (coverage != nullptr) coverage->add(which, program, outcome);

  ProgramInterpreter interpreter(which.array_size, expected, which.behaviour.bus_bytes);
  std::vector<ProgramWindow> open;
  for (const auto& [block, readable, writable] : windows(which.layout)) {
    open.push_back({block.base, block.end(), readable, writable});
  }
  interpreter.set_windows(open);
  const ProgramFault fault = interpreter.run(program.commands);
  const Layout& layout = which.layout;
  for (const auto& [name, block] :
       {std::pair{"inputs", layout.inputs}, {"closed block", layout.closed}}) {
    if (program.ending == Ending::kRingWindow && block.base == layout.closed.base) continue;
    if (auto d = compare_block(name, block, memory, expected.memory)) return d;
  }
  if (program.ending == Ending::kDone) {
    if (auto d = compare_done(program, outcome, interpreter.marker())) return d;
    return compare_block("outputs", layout.outputs, memory, expected.memory);
  }
  // A failing program's own stores depend on timing.
  std::ranges::copy(bytes(memory, layout.outputs), bytes(expected.memory, layout.outputs).begin());
  std::ranges::copy(bytes(memory, layout.closed), bytes(expected.memory, layout.closed).begin());
  if (program.ending == Ending::kReset) return std::nullopt;
  return compare_fault(which, program, outcome, fault);
}

}  // namespace

std::optional<Difference> check(const Case& which, const DeviceMaker& make_device,
                                Coverage* coverage) {
  DeviceMemory memory = make_memory(which);
  ExpectedMemory expected(which);
  std::unique_ptr<sim::DevicePort> port;
  try {
    port = make_device(which, memory);
    for (std::size_t i = 0; i < which.programs.size(); ++i) {
      if (const auto words =
              check_program(which, which.programs[i], *port, memory, expected, coverage)) {
        return Difference{fmt::format("program {}: {}", i, *words), port->clocks()};
      }
    }
  } catch (const std::exception& error) {
    return Difference{error.what(), port ? port->clocks() : 0};
  }
  return std::nullopt;
}

Case minimise(Case which, const DeviceMaker& make_device) {
  const auto keep = [&](auto&& change) {
    Case smaller = which;
    change(smaller);
    if (!check(smaller, make_device)) return false;
    which = std::move(smaller);
    return true;
  };
  keep([](Case& c) {
    const auto errors = c.behaviour.error_ranges;
    c.behaviour = {};
    c.behaviour.error_ranges = errors;
  });
  keep([](Case& c) { c.harness.lite_seed = 0; });
  keep([](Case& c) { c.ring_log2 = 8; });
  while (which.programs.size() > 1 && keep([](Case& c) { c.programs.pop_back(); })) {
  }
  // A prefix of a program is a program: it contains the gives of its takes.
  if (which.programs.back().ending != Ending::kDone) return which;
  auto size = which.programs.back().commands.size();
  for (std::size_t cut = (size + 1) / 2; cut != 0;) {
    const bool cuts = cut < which.programs.back().commands.size() && keep([&](Case& c) {
                        auto& commands = c.programs.back().commands;
                        commands.resize(commands.size() - cut);
                      });
    if (!cuts) cut /= 2;
  }
  return which;
}

std::string describe(const Case& which) {
  std::string text =
      fmt::format("seed {}, array {}\nmemory   {}\nring     2^{} commands; register accesses {}\n",
                  which.seed, which.array_size, describe(which.behaviour), which.ring_log2,
                  which.harness.lite_seed != 0 ? "with gaps" : "back to back");
  const Layout& layout = which.layout;
  for (const auto& [name, block] : {std::pair{"inputs", layout.inputs},
                                    {"outputs", layout.outputs},
                                    {"closed", layout.closed},
                                    {"trap", layout.trap}}) {
    text += fmt::format("{:<8} {:#x} .. {:#x}\n", name, block.base, block.end());
  }
  for (const Program& program : which.programs) {
    text += fmt::format("program of {} commands, meant to end: {}\n", program.commands.size(),
                        kEndingNames[static_cast<int>(program.ending)]);
    for (std::size_t i = 0; i < program.commands.size(); ++i) {
      text += fmt::format("{:5}  {}\n", i, disassemble(program.commands[i]));
    }
  }
  return text;
}

}  // namespace systole::verify
