#include "host/cli/devices_command.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "host/driver/backend.h"
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

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of this build");
  command->footer("Example:\n  systole devices");
  command->callback(print_devices);
}

}  // namespace systole
