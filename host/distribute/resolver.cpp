#include "host/distribute/resolver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace systole {
namespace {

constexpr const char* kVariable = "SYSTOLE_DEVICE";
constexpr const char* kByVariable = "$SYSTOLE_DEVICE";

struct Wanted {
  std::string device;
  std::optional<int> cores;
  std::string named_by;
};

Wanted read_variable(const std::string& text) {
  if (Device::is_placed(text)) return {.device = text, .cores = {}, .named_by = kByVariable};
  const auto colon = text.find(':');
  Wanted wanted{.device = text.substr(0, colon), .cores = {}, .named_by = kByVariable};
  int cores = 0;
  if (colon != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, cores);
    if (read.ec != std::errc{} || read.ptr != end) cores = 0;
    wanted.cores = cores;
  }
  if (wanted.device.empty() || (wanted.cores && cores < 1)) {
    throw std::invalid_argument(
        fmt::format("${} is '{}': write NAME or NAME:CORES, such as model:4", kVariable, text));
  }
  return wanted;
}

bool exists(const std::string& device) {
  const auto devices = Device::list();
  return Device::is_placed(device) ||
         std::ranges::find(devices, device, &DeviceInfo::name) != devices.end();
}

std::string first_accelerator() {
  for (const DeviceInfo& info : Device::list()) {
    if (info.name != "cpu") return info.name;
  }
  return {};
}

Wanted wanted_by(const ResolverOptions& options) {
  const char* variable = std::getenv(kVariable);
  if (!options.device.empty()) {
    return {.device = options.device, .cores = {}, .named_by = "option"};
  }
  if (variable != nullptr && *variable != '\0') return read_variable(variable);
  return {.device = first_accelerator(), .cores = {}, .named_by = "default"};
}

std::string why_none(const Wanted& wanted) {
  const std::string has = fmt::format("{}", fmt::join(Device::names(), ", "));
  if (wanted.device.empty()) {
    return fmt::format("this build has no accelerator, only {}", has);
  }
  const std::string where = wanted.named_by == kByVariable ? " of " + wanted.named_by : "";
  return fmt::format("unknown device '{}'{}: this build has {}", wanted.device, where, has);
}

}  // namespace

Resolver Resolver::connect(const ResolverOptions& options) {
  const Wanted wanted = wanted_by(options);
  Resolver resolver;
  resolver.device_ = wanted.device;
  resolver.machine_ = options.machine;
  resolver.named_by_ = wanted.named_by;
  if (!exists(wanted.device)) {
    if (!options.cpu_if_none) {
      throw NotConnected(fmt::format(
          "not connected to a TPU runtime: {}; name one of them as the device option or in ${}, or "
          "allow the cpu",
          why_none(wanted), kVariable));
    }
    resolver.device_ = "cpu";
    resolver.why_cpu_ = why_none(wanted);
  }
  const bool has_one_core = resolver.device_ == "cpu" || Device::is_placed(resolver.device_);
  const int usual = options.usual_cores.value_or(has_one_core ? 1 : kDefaultCores);
  resolver.cores_ = options.cores.value_or(wanted.cores.value_or(usual));
  if (resolver.cores_ < 1 || resolver.cores_ > kMostCores) {
    throw std::invalid_argument(
        fmt::format("{} cores: the number must be 1 to {}", resolver.cores_, kMostCores));
  }
  if (resolver.cores_ > 1 && Device::is_placed(resolver.device_)) {
    throw std::invalid_argument(
        fmt::format("{} cores: device '{}' has one; omit the number of cores", resolver.cores_,
                    resolver.device_));
  }
  return resolver;
}

}  // namespace systole
