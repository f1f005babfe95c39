#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "host/driver/backend.h"
#include "host/driver/program_device.h"
#include "host/runtime/disk_cache.h"
#include "host/runtime/program_cache.h"

namespace systole {

/// A backend over a device that runs programs: products that come together become one program,
/// built once and kept, and run with one doorbell.
///
/// Limits   bf16 and int8
/// Timing   execute returns when the device is done
/// Errors   execute throws DeviceError for a fault, with its code, the command and the address;
///          the device has been reset then and works on; none of the products that were executed
///          together counts as done
class AcceleratorBackend final : public Backend {
 public:
  /// `info` describes the device; its array size is taken from the device. Programs use no more of
  /// the device's buffers than `buffers` says.
  AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                     const BufferOptions& buffers = {});

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  Memory& memory() override { return device_->memory(); }
  void execute(std::span<const Product> products) override;
  Counters counters() const override { return counters_; }
  void watch_programs(ProgramWatcher watcher) override { watcher_ = std::move(watcher); }

 private:
  const CachedProgram& program_of(std::span<const Product> products);

  DeviceInfo info_;
  std::unique_ptr<ProgramDevice> device_;
  DeviceSizes sizes_;
  DiskCache disk_{DiskCache::users_folder()};
  ProgramCache programs_;
  Counters counters_;
  ProgramWatcher watcher_;
};

}  // namespace systole
