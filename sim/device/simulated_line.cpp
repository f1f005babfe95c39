#include "sim/device/simulated_line.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "host/device/device.h"
#include "sim/device/core_line.h"

namespace systole::sim {
namespace {

/// Ends a run because a core has met a fault, which its result names.
class Faulted : public std::exception {};

/// Harnesses in a CoreLine.
class HarnessedCores final : public LineCores {
 public:
  HarnessedCores(const SimulatedLine::Memories& memories, int threads,
                 const SimulatedLine::MakeDevice& make_device)
      : line_(static_cast<int>(memories.size()), threads) {
    for (std::size_t i = 0; i < memories.size(); ++i) {
      devices_.push_back(make_device(
          *memories[i], {.monitors = false, .neighbours = &line_.neighbours(static_cast<int>(i))}));
      ports_.push_back(devices_.back().get());
    }
  }

  std::span<const std::shared_ptr<DevicePort>> ports() const override { return devices_; }
  void run(std::span<const std::function<void()>> hosts) override { line_.run(ports_, hosts); }
  void stall_from_below(int core, std::uint64_t clocks) override {
    line_.stall_from_below(core, clocks);
  }

 private:
  CoreLine line_;
  std::vector<std::shared_ptr<DevicePort>> devices_;
  std::vector<DevicePort*> ports_;
};

}  // namespace

SimulatedLine::SimulatedLine(Memories memories, int threads, MakeDevice make_device)
    : SimulatedLine(std::move(memories),
                    [threads, make_device = std::move(make_device)](const Memories& of_cores) {
                      return std::make_unique<HarnessedCores>(of_cores, threads, make_device);
                    }) {}

SimulatedLine::SimulatedLine(Memories memories, MakeCores make_cores)
    : memories_(std::move(memories)), make_cores_(std::move(make_cores)) {}

SimulatedLine::~SimulatedLine() = default;

LineCores& SimulatedLine::need_cores() {
  if (!cores_) {
    drivers_.clear();
    drivers_.resize(memories_.size());
    cores_ = make_cores_(memories_);
  }
  return *cores_;
}

void SimulatedLine::stall_from_below(int core, std::uint64_t clocks) {
  need_cores().stall_from_below(core, clocks);
}

/// Clocks pass in all cores alike while `host` drives each.
void SimulatedLine::run_all(const std::function<void(std::size_t core)>& host) {
  std::vector<std::function<void()>> hosts;
  for (std::size_t i = 0; i < memories_.size(); ++i) hosts.emplace_back([&host, i] { host(i); });
  cores_->run(hosts);
}

std::vector<ProgramResult> SimulatedLine::run(std::span<const PlacedProgram> programs) {
  const auto ports = need_cores().ports();
  std::vector<ProgramResult> results(programs.size());
  try {
    run_all([&](std::size_t core) {
      std::unique_ptr<RegisterDriver>& driver = drivers_[core];
      if (!driver) driver = std::make_unique<RegisterDriver>(memories_[core], ports[core]);
      results[core] = driver->run(programs[core]);
      if (results[core].fault != device::FaultCode::kNone) throw Faulted();
    });
    run_all([&](std::size_t core) {
      ports[core]->run(2 * CoreLine::kFlight);  // what was under way arrives
      if (ports[core]->read_register(device::Register::kLinks) == 0) return;
      throw DeviceError(
          fmt::format("core {} of {}: a neighbour sent words that its program left on the link",
                      core, programs.size()));
    });
  } catch (const Faulted&) {
    cores_ = nullptr;
  } catch (...) {
    cores_ = nullptr;
    throw;
  }
  return results;
}

}  // namespace systole::sim
