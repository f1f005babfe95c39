#include "host/driver/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "host/driver/backend.h"
#include "host/driver/queue.h"
#include "host/driver/registry.h"

namespace systole {
namespace {

constexpr int kMaxThreads = 1024;

void check_options(const BackendEntry& entry, const DeviceOptions& options) {
  const std::vector<int>& sizes = entry.array_sizes;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), options.array_size) == sizes.end()) {
    throw std::invalid_argument(fmt::format("device '{}' has no {} x {} array: N can be {}",
                                            entry.info.name, options.array_size, options.array_size,
                                            fmt::join(sizes, ", ")));
  }
  if (options.threads < 1 || options.threads > kMaxThreads) {
    throw std::invalid_argument(
        fmt::format("{} threads: the number must be 1 to {}", options.threads, kMaxThreads));
  }
  if (!std::isfinite(options.clock_mhz) || options.clock_mhz <= 0) {
    throw std::invalid_argument(
        fmt::format("a clock of {} MHz: it must be more than 0", options.clock_mhz));
  }
}

}  // namespace

Device::Device(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

Device Device::open(std::string_view name, const DeviceOptions& options) {
  std::vector<std::string_view> names;
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name == name) {
      check_options(entry, options);
      return Device(entry.make(options));
    }
    names.push_back(entry.info.name);
  }
  throw std::invalid_argument(
      fmt::format("unknown device '{}': this build has {}", name, fmt::join(names, ", ")));
}

std::vector<DeviceInfo> Device::list() {
  std::vector<DeviceInfo> infos;
  for (const BackendEntry& entry : backends()) infos.push_back(entry.info);
  return infos;
}

const DeviceInfo& Device::info() const { return backend_->info(); }

bool Device::supports(DataType type) const { return backend_->supports(type); }

Counters Device::counters() const { return backend_->counters(); }

Buffer Device::allocate(std::int64_t size_bytes) const {
  if (size_bytes < 1) {
    throw std::invalid_argument(
        fmt::format("allocate: {} bytes: a buffer has 1 byte or more", size_bytes));
  }
  return Buffer(backend_, backend_->allocate(size_bytes), size_bytes);
}

Queue Device::make_queue() const { return Queue(backend_); }

}  // namespace systole
