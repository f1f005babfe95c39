#include "sim/device/interpreted_line.h"

#include <cstddef>

#include "sim/device/interpreted_links.h"

namespace systole {

std::vector<ProgramFault> interpret_line(std::span<const InterpretedCore> cores) {
  std::vector<InterpretedLink> up(cores.size()), down(cores.size());  // what a core sends
  for (std::size_t i = 0; i < cores.size(); ++i) {
    const bool has_above = i + 1 < cores.size();
    cores[i].interpreter->set_links({.up_in = has_above ? &down[i + 1] : nullptr,
                                     .up_out = has_above ? &up[i] : nullptr,
                                     .down_in = i > 0 ? &up[i - 1] : nullptr,
                                     .down_out = i > 0 ? &down[i] : nullptr});
  }
  std::vector<std::size_t> next(cores.size());
  std::vector<ProgramFault> faults(cores.size());
  const auto go_on = [&](std::size_t core, bool gives_up) {
    const auto& [interpreter, commands] = cores[core];
    bool moves = false;
    while (next[core] < commands.size() && faults[core].code == device::FaultCode::kNone) {
      const device::CommandWord& command = commands[next[core]];
      if (!gives_up && interpreter->waits_for_neighbour(command)) break;
      faults[core] = interpreter->execute(command, static_cast<std::uint32_t>(next[core]++));
      moves = true;
    }
    return moves;
  };
  for (const bool gives_up : {false, true}) {
    for (bool moves = true; moves;) {
      moves = false;
      for (std::size_t core = 0; core < cores.size(); ++core) {
        moves = go_on(core, gives_up) || moves;
      }
    }
  }
  for (const InterpretedCore& core : cores) core.interpreter->set_links({});
  return faults;
}

}  // namespace systole
