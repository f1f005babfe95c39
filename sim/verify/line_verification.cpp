#include "sim/verify/line_verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "host/device/device.h"
#include "sim/device/interpreted_line.h"
#include "sim/verify/comparison.h"

namespace systole::verify {
namespace {

using device::FaultCode;
using device::Register;

/// A core of the line: its device, and what its memory should hold.
struct Core {
  Core(const Case& which, sim::Neighbours& neighbours, const DeviceMaker& make_device)
      : own(which), memory(make_memory(which)), expected(which) {
    own.harness.neighbours = &neighbours;
    port = make_device(own, memory);
  }

  Case own;
  DeviceMemory memory;
  ExpectedMemory expected;
  std::unique_ptr<sim::DevicePort> port;
  Outcome outcome;
};

std::vector<ExpectedEnd> interpret(std::deque<Core>& cores, std::size_t round) {
  std::deque<ProgramInterpreter> interpreters;
  std::vector<InterpretedCore> line;
  for (Core& core : cores) {
    ProgramInterpreter& interpreter =
        interpreters.emplace_back(core.own.array_size, core.expected, core.own.behaviour.bus_bytes);
    open_windows(core.own, interpreter);
    line.push_back({&interpreter, core.own.programs[round].commands});
  }
  const std::vector<ProgramFault> faults = interpret_line(line);
  std::vector<ExpectedEnd> ends;
  for (std::size_t i = 0; i < line.size(); ++i) {
    ends.push_back({faults[i], interpreters[i].marker()});
  }
  return ends;
}

void run_all(sim::CoreLine& line, std::deque<Core>& cores, auto&& host) {
  std::vector<sim::DevicePort*> ports;
  std::vector<std::function<void()>> hosts;
  for (Core& core : cores) {
    ports.push_back(core.port.get());
    hosts.emplace_back([&core, &host] { host(core); });
  }
  line.run(ports, hosts);
}

/// A line's reset: each core's, and again while beats arrive that were under way.
void reset(Core& core) {
  constexpr int kMostResets = 5;
  constexpr int kMostLooks = 10'000;
  for (int resets = 0; resets < kMostResets; ++resets) {
    core.port->write_register(Register::kControl, device::kReset);
    int looks = 0;
    while (core.port->read_register(Register::kStatus) != 0) {
      if (++looks == kMostLooks) throw DeviceError("the device does not come out of its reset");
    }
    core.port->run(10 * sim::CoreLine::kFlight);
    if (core.port->read_register(Register::kLinks) == 0) return;
  }
  throw DeviceError("a neighbour still offers a beat after the resets of a line");
}

std::string fault_words(const Outcome& outcome) {
  return fmt::format("fault {} at command {}",
                     device::kFaultNames[static_cast<std::size_t>(outcome.fault)], outcome.command);
}

/// Of a round that should not end well: whether this core ended as it may.
Words compare_ending(const Round& round, bool is_culprit, const Core& core, const Program& program,
                     const ExpectedEnd& expected) {
  const FaultCode own = fault_of(program.ending);
  const FaultCode fault = core.outcome.fault;
  if (is_culprit && round.ending == LineEnding::kFault) {
    if (fault == own &&
        (expected.fault.code != own || core.outcome.command == expected.fault.command)) {
      return std::nullopt;
    }
    return fmt::format("{}, expected fault {} at command {}", fault_words(core.outcome),
                       device::kFaultNames[static_cast<std::size_t>(own)], expected.fault.command);
  }
  if (expected.fault.code == FaultCode::kLinkLength) {
    if (fault == FaultCode::kLinkLength && core.outcome.command == expected.fault.command) {
      return std::nullopt;
    }
    return fmt::format("{}, expected fault link length at command {}", fault_words(core.outcome),
                       expected.fault.command);
  }
  if (fault == FaultCode::kNone) return std::nullopt;
  if (fault != FaultCode::kLinkStall) return fault_words(core.outcome);
  const device::CommandWord& command = program.commands[core.outcome.command];
  const bool is_link =
      device::opcode_of(command) == device::Opcode::kVectorStream &&
      device::decode_vector_stream(command).end != device::VectorStreamEnd::kMemory;
  return is_link ? std::nullopt : Words(fault_words(core.outcome) + ", which is no link's stream");
}

Words check_round(const LineCase& which, std::size_t index, sim::CoreLine& line,
                  std::deque<Core>& cores) {
  const Round& round = which.rounds[index];
  if (round.ending == LineEnding::kStall) line.stall_from_below(round.culprit, round.stalls);
  run_all(line, cores, [&](Core& core) {
    core.outcome = run_program(core.own, core.own.programs[index], *core.port, core.memory);
  });
  const std::vector<ExpectedEnd> ends = interpret(cores, index);
  bool has_fault = false;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    Core& core = cores[i];
    const Program& program = core.own.programs[index];
    has_fault = has_fault || core.outcome.fault != FaultCode::kNone;
    Words words;
    if (round.ending == LineEnding::kDone) {
      words = compare(core.own, program, core.outcome, ends[i], core.memory, core.expected);
    } else {
      words = compare_ending(round, static_cast<int>(i) == round.culprit, core, program, ends[i]);
      take_over(core.own, core.memory, core.expected);
    }
    if (words) return fmt::format("core {}: {}", i, *words);
  }
  if (round.ending == LineEnding::kDone) {
    run_all(line, cores, [&](Core& core) {
      if (core.port->read_register(Register::kLinks) != 0) {
        throw DeviceError("a beat is left on a link after a round");
      }
    });
    return std::nullopt;
  }
  if (!has_fault && round.ending != LineEnding::kStall) return "no core has met a fault";
  line.stall_from_below(round.culprit, 0);
  run_all(line, cores, [](Core& core) { reset(core); });
  return std::nullopt;
}

/// The case with the same patience in each round that ends in a fault for which cores wait.
LineCase with_patience(LineCase which, std::uint32_t patience) {
  for (std::size_t i = 0; i < which.rounds.size(); ++i) {
    Round& round = which.rounds[i];
    if (round.ending != LineEnding::kFault && round.ending != LineEnding::kLength) continue;
    round.patience = patience;
    for (Case& core : which.cores) core.programs[i].link_patience = patience;
  }
  return which;
}

/// `is_early`: set where a core has lost its patience with a neighbour that only computed.
std::optional<Difference> check_once(const LineCase& which, const DeviceMaker& make_device,
                                     bool& is_early) {
  sim::CoreLine line(static_cast<int>(which.cores.size()));
  std::deque<Core> cores;
  try {
    for (std::size_t i = 0; i < which.cores.size(); ++i) {
      cores.emplace_back(which.cores[i], line.neighbours(static_cast<int>(i)), make_device);
    }
    for (std::size_t i = 0; i < which.rounds.size(); ++i) {
      if (const Words words = check_round(which, i, line, cores)) {
        is_early = std::ranges::any_of(
            cores, [](const Core& core) { return core.outcome.fault == FaultCode::kLinkStall; });
        return Difference{fmt::format("round {}: {}", i, *words), cores.front().port->clocks()};
      }
    }
  } catch (const std::exception& error) {
    return Difference{error.what(), cores.empty() ? 0 : cores.front().port->clocks()};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Difference> check(const LineCase& which, const DeviceMaker& make_device) {
  // Enough for nearly all cases; waiting is most of a faulty round.
  constexpr std::uint32_t kShortPatience = 8'000;
  bool is_early = false;
  const auto difference = check_once(with_patience(which, kShortPatience), make_device, is_early);
  return is_early ? check_once(which, make_device, is_early) : difference;
}

}  // namespace systole::verify
