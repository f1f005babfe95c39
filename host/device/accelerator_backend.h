#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/device/backend.h"

namespace systole {

/// As "device fault: illegal command (code 3) at command 7 of 12, address 0x0".
std::string fault_words(const PlacedProgram& program, const ProgramResult& result);

/// A backend over a device that runs programs.
///
/// Limits   bf16 and int8
/// Timing   run returns when the device is done
/// Errors   run throws DeviceError for a fault, with its code, the command and the address. The
///          device is then reset and usable
class AcceleratorBackend final : public Backend {
 public:
  /// `info` describes the device, except that the array size is the device's own. `buffers` limits
  /// how much of the device's buffers programs use.
  AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                     const BufferSizes& buffers = {});

  const DeviceInfo& info() const override { return info_; }
  bool supports(DataType type) const override { return type != DataType::kFp32; }
  Memory& memory() override { return device_->memory(); }
  std::optional<DeviceSizes> sizes() const override { return sizes_; }
  void run(const PlacedProgram& program) override;
  Counters counters() const override { return counters_; }
  /// Watchers nest: an empty one takes the last away.
  void watch_programs(ProgramWatcher watcher) override;

  /// Shows a program to the watchers, and counts how it ended: for what runs it elsewhere.
  void show(const PlacedProgram& program);
  void count(const PlacedProgram& program, const ProgramResult& result);

 private:
  DeviceInfo info_;
  std::unique_ptr<ProgramDevice> device_;
  DeviceSizes sizes_;
  Counters counters_;
  std::vector<ProgramWatcher> watchers_;
};

}  // namespace systole
