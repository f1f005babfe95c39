#include "sim/device/simulated_line.h"

#include <fmt/format.h>

#include <exception>
#include <string>
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
                 const SimulatedLine::MakeDevice& make_device, const LineRanks& ranks)
      : line_(static_cast<int>(memories.size()), threads, ranks) {
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
    : SimulatedLine(
          std::move(memories),
          [threads, make_device = std::move(make_device)](const Memories& of_cores,
                                                          const LineRanks& ranks) {
            return std::make_unique<HarnessedCores>(of_cores, threads, make_device, ranks);
          },
          true) {}

SimulatedLine::SimulatedLine(Memories memories, MakeCores make_cores, bool joins_ranks)
    : memories_(std::move(memories)),
      make_cores_(std::move(make_cores)),
      joins_ranks_(joins_ranks) {}

SimulatedLine::~SimulatedLine() = default;

LineCores& SimulatedLine::need_cores() {
  if (!cores_) {
    drivers_.clear();
    drivers_.resize(memories_.size());
    cores_ = make_cores_(memories_, ranks_);
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

bool SimulatedLine::join(const LineRanks& ranks) {
  if (joins_ranks_) ranks_ = ranks;
  return joins_ranks_;
}

void SimulatedLine::run_once(std::span<const PlacedProgram> programs,
                             std::span<ProgramResult> results) {
  const auto ports = need_cores().ports();
  run_all([&](std::size_t core) {
    std::unique_ptr<RegisterDriver>& driver = drivers_[core];
    if (!driver) driver = std::make_unique<RegisterDriver>(memories_[core], ports[core]);
    results[core] = driver->run(programs[core]);
    if (results[core].fault != device::FaultCode::kNone) throw Faulted();
  });
  run_all([&](std::size_t core) {
    ports[core]->run(2 * CoreLine::kFlight);  // what was under way arrives
    if (ports[core]->read_register(device::Register::kLinks) == 0) return;
    const std::size_t count = programs.size();
    throw DeviceError(
        fmt::format("core {} of {}: a neighbour sent words that its program left on the link",
                    static_cast<std::size_t>(ranks_.rank()) * count + core,
                    static_cast<std::size_t>(ranks_.size()) * count));
  });
}

std::vector<ProgramResult> SimulatedLine::run(std::span<const PlacedProgram> programs) {
  std::vector<ProgramResult> results(programs.size());
  std::string error;  // other than a fault
  try {
    run_once(programs, results);
    return results;
  } catch (const Faulted&) {
  } catch (const GivenUp&) {
    results.assign(programs.size(), {});
  } catch (const std::exception& failure) {
    if (ranks_.is_one() || dynamic_cast<const RankError*>(&failure) != nullptr) {
      cores_ = nullptr;
      throw;
    }
    error = failure.what();
  }
  cores_ = nullptr;
  if (!ranks_.is_one()) error = ranks_.first_words(error);
  if (!error.empty()) throw DeviceError(error);
  return results;
}

}  // namespace systole::sim
