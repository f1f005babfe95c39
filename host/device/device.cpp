#include "host/device/device.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "host/device/backend.h"
#include "host/device/backend_line.h"
#include "host/device/checked_backend.h"
#include "host/device/checked_line.h"
#include "host/device/registry.h"

namespace systole {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxLatency = 10'000;
constexpr int kMaxMemoryMib = (1 << 20) - 1;  // below the device's addresses of 40 bits

void check_memory(const MemoryOptions& memory, int size) {
  if (memory.latency_cycles < 1 || memory.latency_cycles > kMaxLatency) {
    throw std::invalid_argument(fmt::format("a memory latency of {} clocks: it must be 1 to {}",
                                            memory.latency_cycles, kMaxLatency));
  }
  if (memory.bytes_per_cycle < 0) {
    throw std::invalid_argument(
        fmt::format("a memory of {} bytes a clock: it must be 1 or more, or 0 for the bus's own",
                    memory.bytes_per_cycle));
  }
  if (memory.mib < 1 || memory.mib > kMaxMemoryMib) {
    throw std::invalid_argument(
        fmt::format("a memory of {} MiB: it must have 1 to {}", memory.mib, kMaxMemoryMib));
  }
  const int bus = memory.bus_bytes;
  if (bus != 0 && bus != size && bus != 2 * size && bus != 4 * size) {
    throw std::invalid_argument(
        fmt::format("a bus of {0} bytes for a {1} x {1} array: it must be {1}, {2} or {3}", bus,
                    size, 2 * size, 4 * size));
  }
}

void check_buffers(const DeviceOptions& options) {
  const BufferSizes largest;
  const int size = options.array_size;
  const auto check = [&](std::string_view name, std::int64_t words, std::int64_t least,
                         std::int64_t most) {
    const bool power = words > 0 && (words & (words - 1)) == 0;
    if (power && words >= least && words <= most) return;
    throw std::invalid_argument(
        fmt::format("buffers: {} {} for a {} x {} array: it must be a power of two, {} to {}",
                    words, name, size, size, least, most));
  };
  check("bank_rows", options.buffers.bank_rows, size, largest.bank_rows);
  check("row_words", options.buffers.row_words, 4 * size, largest.row_words);
  check("weight_words", options.buffers.weight_words, 4 * size, largest.weight_words);
  check("mask_words", options.buffers.mask_words, 4 * size, largest.mask_words);
}

void check_options(const BackendEntry& entry, const DeviceOptions& options) {
  const std::vector<int>& sizes = entry.array_sizes;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), options.array_size) == sizes.end()) {
    throw std::invalid_argument(fmt::format("device '{0}' has no {1} x {1} array: N can be {2}{3}",
                                            entry.info.name, options.array_size,
                                            fmt::join(sizes, ", "), entry.other_sizes));
  }
  if (options.threads < 1 || options.threads > kMaxThreads) {
    throw std::invalid_argument(
        fmt::format("{} threads: the number must be 1 to {}", options.threads, kMaxThreads));
  }
  if (!std::isfinite(options.clock_mhz) || options.clock_mhz <= 0) {
    throw std::invalid_argument(
        fmt::format("a clock of {} MHz: it must be more than 0", options.clock_mhz));
  }
  check_memory(options.memory, options.array_size);
  if (!sizes.empty() || !entry.place.empty()) check_buffers(options);
  if (!(options.check_per_mille >= 0 && options.check_per_mille <= 1000)) {
    throw std::invalid_argument(fmt::format(
        "a check of {} per mille of the work: it must be 0 to 1000", options.check_per_mille));
  }
}

/// The backend that recomputes what `entry` does.
const BackendEntry& reference_of(const BackendEntry& entry, const DeviceOptions& options) {
  if (entry.info.name != "model") {
    throw std::invalid_argument(
        fmt::format("device '{}' is not checked against RTL: only 'model' is", entry.info.name));
  }
  for (const BackendEntry& reference : backends()) {
    if (reference.info.name != "rtl") continue;
    const std::vector<int>& sizes = reference.array_sizes;
    if (std::ranges::find(sizes, options.array_size) != sizes.end()) return reference;
    throw std::invalid_argument(
        fmt::format("this build has no {0} x {0} RTL to check against: N can be {1}{2}",
                    options.array_size, fmt::join(sizes, ", "), reference.other_sizes));
  }
  throw std::invalid_argument(
      "this build has no RTL to check against: install Verilator and rebuild, or omit the check");
}

CheckedBackend::Options check_of(const DeviceOptions& options) {
  return {.per_mille = options.check_per_mille, .seed = options.check_seed};
}

std::shared_ptr<Backend> make_backend(const BackendEntry& entry, const DeviceOptions& options) {
  if (options.check_per_mille == 0) return entry.make(options);
  const BackendEntry& reference = reference_of(entry, options);
  return std::make_shared<CheckedBackend>(entry.make(options), reference.make(options),
                                          check_of(options));
}

std::shared_ptr<BackendLine> make_line(const BackendEntry& entry, const DeviceOptions& options,
                                       int cores, int threads) {
  auto line = entry.make_line(options, cores, threads);
  if (options.check_per_mille == 0) return line;
  const BackendEntry& reference = reference_of(entry, options);
  return std::make_shared<CheckedLine>(
      std::move(line), reference.make_line(options, cores, threads), check_of(options));
}

/// The backend of a name with a place, or without the place that it needs; nullptr for others.
const BackendEntry* placed_entry(std::string_view name) {
  const auto found = std::ranges::find(
      placed_backends(), name.substr(0, name.find(':')),
      [](const BackendEntry& entry) -> std::string_view { return entry.info.name; });
  return found == placed_backends().end() ? nullptr : &*found;
}

std::string form(const BackendEntry& entry) {
  return fmt::format("{}:{}", entry.info.name, entry.place);
}

// Threads that wait for work sleep after a millisecond, unless the environment says otherwise.
// By OpenMP's default they spin for 200 ms and hold the processor from the threads that they wait
// for: those of a framework, or of their own team on a busy machine.
void let_waiting_threads_sleep() {
  [[maybe_unused]] static const bool once = [] {
#ifdef KMP_VERSION_MAJOR
    if (std::getenv("KMP_BLOCKTIME") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
      kmp_set_defaults("KMP_BLOCKTIME=1");
    }
#endif
    return true;
  }();
}

}  // namespace

void Backend::watch_programs(ProgramWatcher) {
  throw std::invalid_argument(
      fmt::format("device '{}' runs no programs to watch: use model or rtl", info().name));
}

Device::Device(std::shared_ptr<Backend> backend) : backend_(std::move(backend)) {}

Device Device::open(std::string_view name, const DeviceOptions& options) {
  let_waiting_threads_sleep();
  for (const BackendEntry& entry : backends()) {
    if (entry.info.name == name) {
      check_options(entry, options);
      return Device(make_backend(entry, options));
    }
  }
  if (const BackendEntry* entry = placed_entry(name)) {
    const std::string_view place = name.substr(std::min(name.size(), entry->info.name.size() + 1));
    if (place.empty()) {
      throw std::invalid_argument(
          fmt::format("device '{}' needs a place, as in {}", name, form(*entry)));
    }
    check_options(*entry, options);
    if (options.check_per_mille != 0) reference_of(*entry, options);
    return Device(entry->make_at(options, std::string(place)));
  }
  throw std::invalid_argument(
      fmt::format("unknown device '{}': this build has {}", name, fmt::join(names(), ", ")));
}

DeviceLine Device::open_line(std::string_view name, const DeviceOptions& options, int cores,
                             int threads) {
  DeviceLine line;
  const auto entry = std::ranges::find(
      backends(), name, [](const BackendEntry& one) -> std::string_view { return one.info.name; });
  if (entry == backends().end() || !entry->make_line) {
    for (int core = 0; core < cores; ++core) line.cores.push_back(open(name, options));
    return line;
  }
  check_options(*entry, options);
  let_waiting_threads_sleep();
  line.links = make_line(*entry, options, cores, threads);
  for (const auto& backend : line.links->cores()) line.cores.push_back(Device(backend));
  return line;
}

std::vector<DeviceInfo> Device::list() {
  std::vector<DeviceInfo> infos;
  for (const BackendEntry& entry : backends()) infos.push_back(entry.info);
  return infos;
}

std::vector<std::string> Device::names() {
  std::vector<std::string> names;
  for (const BackendEntry& entry : backends()) names.push_back(entry.info.name);
  for (const BackendEntry& entry : placed_backends()) names.push_back(form(entry));
  return names;
}

bool Device::is_placed(std::string_view name) { return placed_entry(name) != nullptr; }

const DeviceInfo& Device::info() const { return backend_->info(); }

bool Device::supports(DataType type) const { return backend_->supports(type); }

Counters Device::counters() const { return backend_->counters(); }

std::optional<CheckCoverage> Device::check_coverage() const { return backend_->check_coverage(); }

void Device::watch_programs(ProgramWatcher watcher) const {
  backend_->watch_programs(std::move(watcher));
}

}  // namespace systole
