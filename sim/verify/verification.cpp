#include "sim/verify/verification.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "sim/device/program_interpreter.h"
#include "sim/verify/comparison.h"
#include "sim/verify/disassembly.h"

namespace systole::verify {
namespace {

Words check_program(const Case& which, const Program& program, sim::DevicePort& port,
                    DeviceMemory& memory, ExpectedMemory& expected, Coverage* coverage) {
  const Outcome outcome = run_program(which, program, port, memory);
  if (coverage != nullptr) coverage->add(which, program, outcome);

  ProgramInterpreter interpreter(which.array_size, expected, which.behaviour.bus_bytes);
  open_windows(which, interpreter);
  const ProgramFault fault = interpreter.run(program.commands);
  return compare(which, program, outcome, {fault, interpreter.marker()}, memory, expected);
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
