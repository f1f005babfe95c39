#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/capi/systole.h"
#include "host/nn/training/program.h"

namespace systole::capi {

/// The use of a device in a process that was forked after it was opened.
class ForkedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A device and its lock. Programs share it, so it lives as long as the last of them.
class SharedDevice {
 public:
  SharedDevice(const Device& device, DataType precision) : device_(device), precision_(precision) {}

  const Device& device() const { return device_; }
  DataType precision() const { return precision_; }

  /// Errors   ForkedError
  std::unique_lock<std::mutex> lock();
  void need_own_process() const;

 private:
  Device device_;
  DataType precision_;
  std::mutex mutex_;
  pid_t owner_ = getpid();
};

/// A graph compiled for a device, with buffers in the caller's layout: bf16 takes two bytes, int8
/// and predicates one.
class Program {
 public:
  /// Errors   GraphError for text that cannot be read
  Program(std::shared_ptr<SharedDevice> device, std::string_view text);
  ~Program();

  struct Port {
    std::string name;
    graph::Type type;
    int updated_by = -1;
    std::int64_t size_bytes = 0;
  };
  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }

  /// Errors   std::invalid_argument for buffers that do not fit, DeviceError, ForkedError
  void run(std::span<const systole_buffer> inputs, std::span<const systole_buffer> outputs);

  systole_step last_run() const;

  void need_own_process() const { device_->need_own_process(); }

 private:
  std::shared_ptr<SharedDevice> device_;
  std::vector<Port> inputs_, outputs_;
  std::unique_ptr<nn::Multiplier> multiplier_;
  std::unique_ptr<nn::Program> program_;
  std::vector<std::vector<std::uint32_t>> input_words_, output_words_;  ///< of narrow elements
  systole_step last_run_{};
  std::int64_t runs_ = 0;
};

}  // namespace systole::capi
