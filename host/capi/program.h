#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "host/capi/buffers.h"
#include "host/compiler/program/product_programs.h"
#include "host/device/counters.h"
#include "host/device/device.h"

namespace systole::capi {

/// The use of a device in a process that was forked after it was opened.
class ForkedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device and its lock. Programs share it, so it lives as long as the last of them.
class SharedDevice {
 public:
  SharedDevice(const Device& device, DataType precision) : device_(device), precision_(precision) {
    if (precision != DataType::kFp32) products_.emplace(device, precision);
  }

  const Device& device() const { return device_; }
  DataType precision() const { return precision_; }
  /// Null where products run on this processor, in fp32. Used with the device locked.
  lowering::ProductPrograms* products() { return products_ ? &*products_ : nullptr; }

  /// Errors   ForkedError
  std::unique_lock<std::mutex> lock();
  void need_own_process() const;

 private:
  Device device_;
  DataType precision_;
  std::optional<lowering::ProductPrograms> products_;
  std::mutex mutex_;
  pid_t owner_ = getpid();
};

/// A graph compiled for a device, with buffers in the caller's layout.
class Program {
 public:
  explicit Program(std::shared_ptr<SharedDevice> device) : device_(std::move(device)) {}
  virtual ~Program() = default;

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  const std::vector<std::string>& fallbacks() const { return fallbacks_; }

  /// Errors   std::invalid_argument for buffers that do not fit, DeviceError, ForkedError
  void run(std::span<const systole_buffer> inputs, std::span<const systole_buffer> outputs);

  /// Copies an output that the last run left on the device.
  ///
  /// Errors   as run
  void read(std::int32_t output, const systole_buffer& buffer);

  systole_step last_run() const;

  void need_own_process() const { device_->need_own_process(); }

 protected:
  SharedDevice& device() const { return *device_; }
  std::int64_t runs() const { return runs_; }

  std::vector<Port> inputs_, outputs_;
  std::vector<std::string> fallbacks_;  ///< products on this processor

 private:
  // With the device locked.
  virtual void execute(const Buffers& from, const Buffers& to) = 0;
  virtual void read_output(std::size_t output, void* data) = 0;
  virtual Counters counters() const { return device_->device().counters(); }

  std::shared_ptr<SharedDevice> device_;
  systole_step last_run_{};
  std::int64_t runs_ = 0;
};

}  // namespace systole::capi
