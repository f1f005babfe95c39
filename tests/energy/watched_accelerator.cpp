#include "tests/energy/watched_accelerator.h"

#include <Vwatched_accelerator_4.h>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"

namespace {

systole::ActionCounts watched;

}  // namespace

// Of the package action_watch_pkg.
extern "C" void systole_watch_action(int action, int amount) {
  watched.counts.at(static_cast<std::size_t>(action)) += static_cast<std::uint64_t>(amount);
}

namespace systole::tests {

std::unique_ptr<sim::DevicePort> make_watched_accelerator(DeviceMemory& memory,
                                                          const sim::MemoryBehaviour& behaviour,
                                                          const sim::HarnessOptions& options) {
  using Model = OwnedModel<Vwatched_accelerator_4>;
  using Accelerator = sim::VerilatedAccelerator<Model, 4>;
  return std::make_unique<sim::DeviceHarness<Accelerator>>(
      std::make_unique<Accelerator>(std::make_unique<Model>(options.register_seed)), memory,
      behaviour, options);
}

const ActionCounts& watched_actions() { return watched; }

}  // namespace systole::tests
