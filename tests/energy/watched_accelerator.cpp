#include "tests/energy/watched_accelerator.h"

#include <Vwatched_accelerator_4.h>

#include <array>
#include <atomic>

#include "sim/verilator/owned_model.h"
#include "sim/verilator/verilated_accelerator.h"

namespace {

// Cores of a line run on threads of their own.
std::array<std::atomic<std::uint64_t>, systole::kActions> watched{};

}  // namespace

// Of the package action_watch_pkg.
extern "C" void systole_watch_action(int action, int amount) {
  watched.at(static_cast<std::size_t>(action))
      .fetch_add(static_cast<std::uint64_t>(amount), std::memory_order_relaxed);
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

ActionCounts watched_actions() {
  ActionCounts actions;
  for (std::size_t i = 0; i < kActions; ++i) actions.counts[i] = watched[i].load();
  return actions;
}

}  // namespace systole::tests
