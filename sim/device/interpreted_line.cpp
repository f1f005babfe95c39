#include "sim/device/interpreted_line.h"

#include <cstddef>

#include "sim/device/interpreted_links.h"
#include "sim/device/progress.h"

namespace systole {

std::vector<ProgramFault> interpret_line(std::span<const InterpretedCore> cores,
                                         const LineRanks& ranks) {
  InterpretedLineLinks links(cores.size(), ranks);
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i].interpreter->set_links(links.of(i));
  std::vector<std::size_t> next(cores.size());
  std::vector<ProgramFault> faults(cores.size());
  std::uint32_t done = 0, all = 0;
  for (const InterpretedCore& core : cores) all += static_cast<std::uint32_t>(core.commands.size());
  const auto go_on = [&](std::size_t core, bool gives_up) {
    const auto& [interpreter, commands] = cores[core];
    bool moves = false;
    while (next[core] < commands.size() && faults[core].code == device::FaultCode::kNone) {
      const device::CommandWord& command = commands[next[core]];
      if (!gives_up && interpreter->waits_for_neighbour(command)) break;
      faults[core] = interpreter->execute(command, static_cast<std::uint32_t>(next[core]++));
      sim::tell_progress({.done = ++done, .commands = all});
      moves = true;
    }
    return moves;
  };
  for (const bool gives_up : {false, true}) {
    links.run([&] {
      bool moves = false;
      for (std::size_t core = 0; core < cores.size(); ++core) {
        moves = go_on(core, gives_up) || moves;
      }
      return moves;
    });
  }
  for (const InterpretedCore& core : cores) core.interpreter->set_links({});
  return faults;
}

}  // namespace systole
