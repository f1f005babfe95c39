#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/cli/commands.h"
#include "host/device/backend.h"
#include "host/device/configurations.h"
#include "host/device/disk_cache.h"
#include "host/device/registry.h"
#include "host/distribute/resolver.h"

namespace systole {
namespace {

std::string type_names(const BackendEntry& entry) {
  const Device device = Device::open(entry.info.name, {.array_size = entry.info.array_size});
  std::vector<std::string_view> names;
  for (const DataType type : {DataType::kFp32, DataType::kBf16, DataType::kInt8}) {
    if (device.supports(type)) names.push_back(to_string(type));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

void print_devices() {
  fmt::print("{:<8} {:<16} {:<22} {:<10} {}\n", "device", "types", "array N", "cores",
             "description");
  for (const BackendEntry& entry : backends()) {
    const std::string sizes =
        entry.array_sizes.empty() ? "-" : fmt::format("{}", fmt::join(entry.array_sizes, " "));
    fmt::print("{:<8} {:<16} {:<22} {:<10} {}\n", entry.info.name, type_names(entry), sizes,
               fmt::format("1 to {}", Resolver::kMostCores), entry.info.description);
  }
  for (const BackendEntry& entry : placed_backends()) {
    fmt::print(
        "{:<8} {:<16} {:<22} {:<10} {}\n", entry.info.name, entry.types,
        entry.info.cycle_exact ? "the device's" : "-", "1",
        fmt::format("{}; named {}:{}", entry.info.description, entry.info.name, entry.place));
  }
}

// The defaults of `systole train`.
std::string chosen_cores() {
  try {
    const Resolver resolver = Resolver::connect({.usual_cores = 1});
    return fmt::format("{} core{} of {}, by {}", resolver.cores(), resolver.cores() == 1 ? "" : "s",
                       resolver.device(), resolver.named_by());
  } catch (const std::invalid_argument& error) {
    return error.what();
  } catch (const NotConnected& error) {
    return error.what();
  }
}

void print_cores() {
  fmt::print(
      "\ntrain --cores C spreads each batch over C cores, each a device of its own; without it "
      "and\n"
      "--device: {}. A program's Resolver takes {} unless told (cpu: 1).\n",
      chosen_cores(), Resolver::kDefaultCores);
}

void print_configurations() {
  fmt::print("\n{:<13} {:<10} {:<10} {:<8} {:<9} {:<16} {}\n", "--config", "array", "clock",
             "latency", "memory", "each way", "what it is");
  for (const Configuration& one : configurations()) {
    const DeviceOptions& options = one.options;
    const int bytes = options.memory.bytes_per_cycle;
    const int bus = options.memory.bus_bytes == 0 ? options.array_size : options.memory.bus_bytes;
    const int moved = bytes == 0 ? bus : std::min(bytes, bus);
    fmt::print("{:<13} {:<10} {:<10} {:<8} {:<9} {:<16} {}\n", one.name,
               fmt::format("{0} x {0}", options.array_size),
               fmt::format("{:g} MHz", options.clock_mhz), options.memory.latency_cycles,
               fmt::format("{} MiB", options.memory.mib), fmt::format("{} bytes/clock", moved),
               one.description);
  }
}

void print_cache() {
  const DiskCache cache(DiskCache::users_folder());
  const std::string trouble = cache.trouble();
  fmt::print("\nprograms' clocks, and how their products are cut, are kept in {}\n",
             trouble.empty() ? fmt::format("{} (safe to delete)", cache.folder().string())
                             : "memory alone: " + trouble);
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "devices", "List the devices of this build, and the configurations they can have");
  command->footer("Example:\n  systole devices");
  command->callback([] {
    print_devices();
    print_cores();
    print_configurations();
    print_cache();
  });
}

}  // namespace systole
