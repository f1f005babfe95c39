#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/device/backend.h"
#include "host/device/disk_cache.h"
#include "host/device/program_device.h"

namespace systole {

/// A backend over a device that runs programs: the products of one call become one program, run by
/// one launch.
///
/// Limits   bf16 and int8. The last call's commands are kept for the same products, and lie in
///          device memory only while they run: no buffer's place depends on earlier products
/// Timing   execute returns when the device is done
/// Errors   execute throws DeviceError for a fault, with its code, the command and the address. The
///          device is then reset and usable; none of the products of that call counts as done
class AcceleratorBackend final : public Backend {
 public:
  /// `info` describes the device, except that the array size is the device's own. `buffers` limits
  /// how much of the device's buffers programs use.
  AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                     const BufferOptions& buffers = {});

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  Memory& memory() override { return device_->memory(); }
  void execute(std::span<const Product> products) override;
  std::optional<DeviceSizes> sizes() const override { return sizes_; }
  void run(const PlacedProgram& program) override;
  Counters counters() const override { return counters_; }
  void watch_programs(ProgramWatcher watcher) override { watcher_ = std::move(watcher); }

 private:
  /// Products as commands; all that they touch lies in [base, end).
  struct Built {
    std::vector<Product> products;
    std::vector<ProgramUnit> units;
    std::vector<device::CommandWord> commands;
    std::uint64_t base = 0, end = 0;
  };

  void run(const PlacedProgram& program, std::span<const Product> products);
  void build(std::span<const Product> products);

  DeviceInfo info_;
  std::unique_ptr<ProgramDevice> device_;
  DeviceSizes sizes_;
  DiskCache disk_{DiskCache::users_folder()};
  Built built_;  ///< by the last call of execute
  Counters counters_;
  ProgramWatcher watcher_;
};

}  // namespace systole
