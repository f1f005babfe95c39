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
///          the device has been reset then and works on. A fault tells no product: none of those
///          that were executed together counts as done
class AcceleratorBackend final : public Backend {
 public:
  /// `info` describes the device; its array size is taken from the device. Programs use no more of
  /// the device's buffers than `buffers` says.
  AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                     const BufferOptions& buffers = {});

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  std::uint64_t allocate(std::int64_t size_bytes) override { return device_->allocate(size_bytes); }
  void free(std::uint64_t address) override { device_->free(address); }
  void write(std::uint64_t address, std::span<const std::byte> source) override {
    device_->write_memory(address, source);
  }
  void read(std::uint64_t address, std::span<std::byte> destination) override {
    device_->read_memory(address, destination);
  }
  void execute(std::span<const Product> products) override;
  Counters counters() const override { return counters_; }
  void watch_programs(ProgramWatcher watcher) override { watcher_ = std::move(watcher); }

  /// What a product is to the program builder: addresses in place of buffers.
  static ProgramProduct place(const Product& product);

 private:
  const CachedProgram& program_of(std::vector<ProgramProduct> products);

  DeviceInfo info_;
  std::unique_ptr<ProgramDevice> device_;
  DeviceSizes sizes_;
  DiskCache disk_{DiskCache::users_folder()};
  ProgramCache programs_;
  Counters counters_;
  ProgramWatcher watcher_;
};

}  // namespace systole
