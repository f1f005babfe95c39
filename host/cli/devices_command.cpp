#include "host/cli/devices_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "host/driver/backend.h"
#include "host/driver/configurations.h"
#include "host/driver/registry.h"

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
  fmt::print("{:<8} {:<16} {:<22} {}\n", "device", "types", "array N", "what it is");
  for (const BackendEntry& entry : backends()) {
    const std::string sizes =
        entry.array_sizes.empty() ? "-" : fmt::format("{}", fmt::join(entry.array_sizes, " "));
    fmt::print("{:<8} {:<16} {:<22} {}\n", entry.info.name, type_names(entry), sizes,
               entry.info.description);
  }
}

void print_configurations() {
  fmt::print("\n{:<13} {:<10} {:<10} {:<8} {:<16} {}\n", "--config", "array", "clock", "latency",
             "memory", "what it is");
  for (const Configuration& one : configurations()) {
    const DeviceOptions& options = one.options;
    const int bytes = options.memory.bytes_per_cycle;
    const int moved = bytes == 0 ? options.array_size : std::min(bytes, options.array_size);
    fmt::print("{:<13} {:<10} {:<10} {:<8} {:<16} {}\n", one.name,
               fmt::format("{0} x {0}", options.array_size),
               fmt::format("{:g} MHz", options.clock_mhz), options.memory.latency_cycles,
               fmt::format("{} bytes/clock", moved), one.description);
  }
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "devices", "List the devices of this build, and the configurations they can have");
  command->footer("Example:\n  systole devices");
  command->callback([] {
    print_devices();
    print_configurations();
  });
}

}  // namespace systole
