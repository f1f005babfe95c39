#include "host/cli/compared_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "host/cli/configuration_option.h"
#include "host/cli/device_options.h"
#include "host/cli/usage_error.h"

namespace systole {
namespace {

constexpr std::int64_t kMost = 1'000'000;  // of cores, and of an array's N

std::int64_t parse_count(std::string count, const std::string& word) {
  const std::string refusal = kPositiveWhole(count);
  if (!refusal.empty()) throw UsageError(fmt::format("--devices {}: {}", word, refusal));
  return std::stoll(count);
}

// "128", "128x700" or what --config takes.
void parse_hardware(const std::string& hardware, const std::string& word, ComparedDevice& device) {
  if (!hardware.empty() && !std::isdigit(static_cast<unsigned char>(hardware[0]))) {
    device.configuration = hardware;
    try {
      configuration_of(hardware);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--devices {}: {}", word, error.what()));
    }
    return;
  }
  const std::size_t x = hardware.find('x');
  device.array_size = static_cast<int>(std::min(kMost, parse_count(hardware.substr(0, x), word)));
  if (x == std::string::npos) return;
  device.clock_mhz = static_cast<double>(parse_count(hardware.substr(x + 1), word));
}

// board:/dev/ttyUSB0 or pjrt:/a/plugin.so, with :STEPS or without.
ComparedDevice parse_placed(const std::string& word) {
  const std::size_t colon = word.rfind(':');
  const bool has_steps = Device::is_placed(word.substr(0, colon)) && word.find(':') != colon &&
                         kPositiveWhole(word.substr(colon + 1)).empty();
  if (!has_steps) return {.name = word};
  return {.name = word.substr(0, colon), .steps = parse_count(word.substr(colon + 1), word)};
}

ComparedDevice parse_device(const std::string& word) {
  if (word.find(':') != std::string::npos && Device::is_placed(word)) return parse_placed(word);
  const std::size_t colon = word.find(':');
  const std::string head = word.substr(0, colon);
  const std::size_t at = head.find('@');
  const std::string name = head.substr(0, at);
  const std::size_t star = name.find('*');
  ComparedDevice device{.name = name.substr(0, star)};
  if (device.name.empty()) {
    throw UsageError(fmt::format("--devices has an empty name: choose from {}", device_names()));
  }
  if (star != std::string::npos) {
    device.cores = static_cast<int>(std::min(kMost, parse_count(name.substr(star + 1), word)));
  }
  if (at != std::string::npos) parse_hardware(head.substr(at + 1), word, device);
  if (colon != std::string::npos) {
    device.steps = parse_count(word.substr(colon + 1), word);
  } else if (device.name == "rtl") {
    device.steps = kRtlSteps;
  }
  return device;
}

}  // namespace

std::string ComparedDevice::words() const {
  return cores == 1 ? name : fmt::format("{}*{}", name, cores);
}

DeviceOptions ComparedDevice::on(DeviceOptions machine) const {
  if (!configuration.empty()) configure(machine, configuration_of(configuration));
  machine.array_size = array_size.value_or(machine.array_size);
  machine.clock_mhz = clock_mhz.value_or(machine.clock_mhz);
  return machine;
}

std::string ComparedDevice::reason_unused(std::string_view option) const {
  const bool own_hardware = !configuration.empty() && option != "--threads";
  if (own_hardware) return fmt::format("{}@{} has its own", name, configuration);
  const bool own = (option == "--array" && array_size) || (option == "--clock-mhz" && clock_mhz);
  if (own) return fmt::format("{}@{} has its own", name, *array_size);
  return systole::reason_unused(name, option);
}

std::vector<ComparedDevice> parse_devices(const std::string& list) {
  std::vector<ComparedDevice> devices;
  std::size_t start = 0;
  for (;;) {
    const std::size_t comma = list.find(',', start);
    ComparedDevice device = parse_device(list.substr(start, comma - start));
    const auto same = [&](const ComparedDevice& other) {
      return other.name == device.name && other.cores == device.cores &&
             other.array_size == device.array_size && other.clock_mhz == device.clock_mhz &&
             other.configuration == device.configuration;
    };
    if (std::ranges::any_of(devices, same)) {
      throw UsageError(fmt::format("--devices names {} twice", device.words()));
    }
    devices.push_back(std::move(device));
    if (comma == std::string::npos) return devices;
    start = comma + 1;
  }
}

}  // namespace systole
