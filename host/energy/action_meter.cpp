#include "host/energy/action_meter.h"

#include <exception>

namespace systole::energy {

ActionMeter::ActionMeter(Backend& backend) : backend_(backend), sizes_(backend.sizes().value()) {
  backend_.watch_programs(
      [this](const PlacedProgram& program, Memory& memory) { add(program, memory); });
}

ActionMeter::~ActionMeter() {
  try {
    backend_.watch_programs({});
  } catch (const std::exception&) {
    // The constructor would have failed before.
  }
}

// A number stands for one program in the same memory.
void ActionMeter::add(const PlacedProgram& program, const Memory& memory) {
  const auto count = [&] { return count_actions(program.commands, sizes_, memory); };
  if (program.number == 0) {
    counts_ += count();
    return;
  }
  const auto [found, is_new] = known_.try_emplace(program.number);
  if (is_new) found->second = count();
  counts_ += found->second;
}

}  // namespace systole::energy
