#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "host/device/check_coverage.h"
#include "host/device/counters.h"
#include "host/device/data_type.h"
#include "host/device/device_sizes.h"
#include "host/device/link.h"

namespace systole {

class Backend;
class BackendLine;
class Memory;
struct DeviceLine;
struct PlacedProgram;

/// Called with every program and its memory before the device runs it.
using ProgramWatcher = std::function<void(const PlacedProgram&, Memory&)>;

/// The memory of a simulated device.
///
/// Units    latency_cycles: from a request to its first beat, and from the last beat written to its
///          answer. bus_bytes: of a beat, N, 2 N or 4 N; 0 is N. bytes_per_cycle: each way; 0 and
///          anything above the bus's width mean that. mib: its size, in 2^20 bytes
struct MemoryOptions {
  int latency_cycles = 64;
  int bytes_per_cycle = 0;
  int bus_bytes = 0;
  int mib = 32'768;
};

/// configurations.h has named sets of these.
struct DeviceOptions {
  int array_size = 16;         ///< N of the N x N array; rtl: SYSTOLE_ARRAYS; model: 4 to 128
  int threads = 1;             ///< CPU threads that `cpu` and `model` may use
  double clock_mhz = 200.0;    ///< turns cycles into seconds; assumed until a routed figure exists
  double check_per_mille = 0;  ///< share of `model`'s work recomputed on `rtl`; up to 1000
  std::uint64_t check_seed = 1;  ///< chooses it
  std::string clock_source = "assumed";
  MemoryOptions memory{};
  BufferSizes buffers{};  ///< that programs may use: at most the defaults
  Link host_link{};       ///< brings batches; without a rate: as the bus, assumed
};

struct DeviceInfo {
  std::string name;         ///< "cpu", "model", "rtl", "systemc", "board", "pjrt"
  std::string description;  ///< one line for `systole devices`
  int array_size = 0;       ///< 0 on cpu
  int threads = 1;
  double clock_mhz = 0;           ///< 0 on cpu
  std::string clock_source = {};  ///< "assumed", or where it comes from; empty on cpu
  bool cycle_exact = false;       ///< its Counters are device clocks
  bool bit_exact = false;         ///< its bits are those of docs/numerics.md
  std::string memory = {};        ///< describes what feeds the array; empty on cpu
  Link host_link{};               ///< brings batches to the memory; none on cpu
  /// Of a device behind a plugin, whose times are measured; else empty: "cuda", "NVIDIA H200",
  /// "PJRT 0.112, ...".
  std::string platform = {}, chip = {}, plugin = {};
};

/// A fault reported by the device, or a request for memory that it does not have.
class DeviceError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// More memory was asked for than the device, or the machine that simulates it, has.
class MemoryFull : public DeviceError {
  using DeviceError::DeviceError;
};

/// One accelerator, real or simulated ("model", "board:/dev/ttyUSB0"). Copies share the device.
///
/// Timing   not thread-safe; one thread drives one device
/// Errors   open throws std::invalid_argument for an unknown name or an option out of range and
///          lists the valid ones, DeviceError if a board does not answer
class Device {
 public:
  static Device open(std::string_view name, const DeviceOptions& options = {});
  /// Several devices side by side, each as open's. Those with links run programs together on
  /// `threads` CPU threads.
  ///
  /// Errors   as open's
  static DeviceLine open_line(std::string_view name, const DeviceOptions& options, int cores,
                              int threads);
  static std::vector<DeviceInfo> list();    ///< all that a name without a place opens, by default
  static std::vector<std::string> names();  ///< what open takes: `cpu`, ..., `board:PORT`
  /// Whether a name means one device at a place, such as `board:/dev/ttyUSB0`: it has one core.
  static bool is_placed(std::string_view name);

  const DeviceInfo& info() const;
  bool supports(DataType type) const;  ///< whether it multiplies operands of this type
  Counters counters() const;
  std::optional<CheckCoverage> check_coverage() const;  ///< with check_per_mille only

  /// Its memory, and what runs programs.
  Backend& backend() const { return *backend_; }

  /// Shows every program from now on to `watcher`, which replaces an earlier one; an empty one ends
  /// the watching.
  ///
  /// Errors   std::invalid_argument on `cpu`, which runs no programs
  void watch_programs(ProgramWatcher watcher) const;

 private:
  explicit Device(std::shared_ptr<Backend> backend);
  std::shared_ptr<Backend> backend_;
};

/// The cores of a machine.
struct DeviceLine {
  std::vector<Device> cores;
  std::shared_ptr<BackendLine> links =
      nullptr;  ///< none where they have none; of one core, those to the cores of other ranks
};

}  // namespace systole
