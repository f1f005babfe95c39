#include "sim/device/simulated_line.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "host/device/device.h"
#include "host/device/register_driver.h"
#include "sim/device/core_line.h"

namespace systole::sim {
namespace {

/// Ends a run because a core has met a fault, which its result names.
class Faulted : public std::exception {};

}  // namespace

struct SimulatedLine::Cores {
  Cores(std::span<const std::shared_ptr<DeviceMemory>> memories, int threads,
        const MakeDevice& make_device)
      : line(static_cast<int>(memories.size()), threads), drivers(memories.size()) {
    for (std::size_t i = 0; i < memories.size(); ++i) {
      devices.push_back(make_device(
          *memories[i], {.monitors = false, .neighbours = &line.neighbours(static_cast<int>(i))}));
      ports.push_back(devices.back().get());
    }
  }

  /// Clocks pass in all cores alike while `host` drives each.
  void run(const std::function<void(std::size_t core)>& host) {
    std::vector<std::function<void()>> hosts;
    for (std::size_t i = 0; i < ports.size(); ++i) hosts.emplace_back([&host, i] { host(i); });
    line.run(ports, hosts);
  }

  CoreLine line;
  std::vector<std::shared_ptr<DevicePort>> devices;
  std::vector<DevicePort*> ports;
  std::vector<std::unique_ptr<RegisterDriver>> drivers;
};

SimulatedLine::SimulatedLine(std::vector<std::shared_ptr<DeviceMemory>> memories, int threads,
                             MakeDevice make_device)
    : memories_(std::move(memories)), threads_(threads), make_device_(std::move(make_device)) {}

SimulatedLine::~SimulatedLine() = default;

SimulatedLine::Cores& SimulatedLine::need_cores() {
  if (!cores_) cores_ = std::make_unique<Cores>(memories_, threads_, make_device_);
  return *cores_;
}

void SimulatedLine::stall_from_below(int core, std::uint64_t clocks) {
  need_cores().line.stall_from_below(core, clocks);
}

std::vector<ProgramResult> SimulatedLine::run(std::span<const PlacedProgram> programs) {
  need_cores();
  std::unique_ptr<Cores> cores = std::exchange(cores_, nullptr);
  std::vector<ProgramResult> results(programs.size());
  try {
    cores->run([&](std::size_t core) {
      std::unique_ptr<RegisterDriver>& driver = cores->drivers[core];
      if (!driver) {
        driver = std::make_unique<RegisterDriver>(memories_[core], cores->devices[core]);
      }
      results[core] = driver->run(programs[core]);
      if (results[core].fault != device::FaultCode::kNone) throw Faulted();
    });
  } catch (const Faulted&) {
    return results;
  }
  cores->run([&](std::size_t core) {
    cores->ports[core]->run(2 * CoreLine::kFlight);  // what was under way arrives
    if (cores->ports[core]->read_register(device::Register::kLinks) == 0) return;
    throw DeviceError(
        fmt::format("core {} of {}: a neighbour sent words that its program left on "
                    "the link",
                    core, programs.size()));
  });
  cores_ = std::move(cores);
  return results;
}

}  // namespace systole::sim
