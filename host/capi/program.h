#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "host/capi/buffers.h"
#include "host/compiler/program/product_programs.h"
#include "host/device/counters.h"
#include "host/device/device.h"
#include "host/distribute/core_team.h"
#include "host/graph/text.h"

namespace systole::capi {

/// The use of a device in a process that was forked after it was opened.
class ForkedError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The cores that programs run on, of which one is usual, and their lock. Programs share it, so it
/// lives as long as the last of them.
class SharedDevice {
 public:
  /// precision: of products
  SharedDevice(DeviceLine line, DataType precision);

  std::size_t cores() const { return line_.cores.size(); }
  const Device& core(std::size_t number) const { return line_.cores[number]; }
  BackendLine* links() const { return line_.links.get(); }  ///< null where there are none
  DataType precision() const { return precision_; }
  /// Of a core. Null where products run on this processor, in fp32. Used with the device locked.
  lowering::ProductPrograms* products(std::size_t core) {
    return products_.empty() ? nullptr : products_[core].get();
  }
  /// A thread for each core. Used with the device locked.
  CoreTeam& team();

  /// A program's graph for each core.
  ///
  /// Errors   as graph::read
  std::vector<std::unique_ptr<graph::Graph>> read(std::string_view text, graph::Scopes scopes,
                                                  graph::Products products) const;

  /// Errors   ForkedError
  std::unique_lock<std::mutex> lock();
  void need_own_process() const;

 private:
  DeviceLine line_;
  DataType precision_;
  std::vector<std::unique_ptr<lowering::ProductPrograms>> products_;  ///< by core
  std::unique_ptr<CoreTeam> team_;
  std::mutex mutex_;
  pid_t owner_ = getpid();
};

/// A graph compiled for a device's cores, with buffers in the caller's layout: those of core 0,
/// then of core 1 and so on. Ports are those of each core.
class Program {
 public:
  explicit Program(std::shared_ptr<SharedDevice> device) : device_(std::move(device)) {}
  virtual ~Program() = default;

  const std::vector<Port>& inputs() const { return inputs_; }
  const std::vector<Port>& outputs() const { return outputs_; }
  const std::vector<std::string>& fallbacks() const { return fallbacks_; }
  const std::string& on_host() const { return on_host_; }

  /// Errors   std::invalid_argument for buffers that do not fit, DeviceError, ForkedError
  void run(std::span<const systole_buffer> inputs, std::span<const systole_buffer> outputs);

  /// Copies an output that the last run left on the device; of core c, number c * outputs + i.
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
  std::string on_host_;  ///< what else a step leaves to it, and why; empty if nothing

 private:
  // With the device locked.
  virtual void execute(BufferList from, BufferList to) = 0;
  virtual void read_output(std::size_t output, void* data) = 0;
  void add(const Counters& done);
  virtual Counters counters(std::size_t core) const { return device_->core(core).counters(); }

  std::shared_ptr<SharedDevice> device_;
  systole_step last_run_{};
  std::int64_t runs_ = 0;
};

}  // namespace systole::capi
