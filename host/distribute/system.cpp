#include "host/distribute/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/device/backend_line.h"

namespace systole {
namespace {

std::string many(std::int64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string describe_core(const DeviceInfo& info) {
  if (info.array_size == 0) return many(info.threads, "thread");
  return fmt::format("a {0} x {0} array at {1:g} MHz ({2})", info.array_size, info.clock_mhz,
                     info.clock_source);
}

std::string describe(const Resolver& resolver, const System& system) {
  const DeviceInfo& info = system.cores.front().info();
  const std::string cores =
      fmt::format("{} of {}, each {}", many(static_cast<std::int64_t>(system.cores.size()), "core"),
                  info.name, describe_core(info));
  const std::string ranks =
      system.ranks->size() == 1
          ? ""
          : fmt::format(", on each of {} ranks ({})", system.ranks->size(), system.ranks->kind());
  if (resolver.why_cpu().empty()) return fmt::format("connected to {}{}", cores, ranks);
  return fmt::format("not connected to a TPU runtime: {}; going on with {}{}", resolver.why_cpu(),
                     cores, ranks);
}

/// What a description leaves out and ranks must have the same, as text.
std::string shared_choices(const DeviceOptions& machine, const DeviceInfo& info) {
  std::string text = info.memory.empty() ? "" : ", " + info.memory;
  if (machine.check_per_mille > 0) {
    text += fmt::format(", {} per mille of its work checked with seed {}", machine.check_per_mille,
                        machine.check_seed);
  }
  return text;
}

}  // namespace

System initialize(const Resolver& resolver) { return initialize(resolver, nullptr); }

System initialize(const Resolver& resolver, std::shared_ptr<Communicator> ranks) {
  System system;
  DeviceOptions machine = resolver.machine();
  system.workers = std::clamp(machine.threads, 1, resolver.cores());
  machine.threads = std::max(1, machine.threads / system.workers);
  DeviceLine line =
      Device::open_line(resolver.device(), machine, resolver.cores(), resolver.machine().threads);
  system.cores = std::move(line.cores);
  system.links = std::move(line.links);
  system.ranks = ranks ? std::move(ranks) : launched_ranks();
  system.description = describe(resolver, system);
  need_agreement(
      *system.ranks, "the device",
      system.description + shared_choices(resolver.machine(), system.cores.front().info()));
  const bool has_ranks = system.ranks->size() > 1;
  const bool is_alone = resolver.cores() == 1 && !has_ranks;
  if (is_alone || (has_ranks && system.links && !system.links->join(system.ranks))) {
    system.links = nullptr;
  }
  return system;
}

System system_of(const Device& device) {
  return {.cores = {device},
          .workers = 1,
          .ranks = single_rank(),
          .links = nullptr,
          .description = fmt::format("one {}", device.info().name)};
}

}  // namespace systole
