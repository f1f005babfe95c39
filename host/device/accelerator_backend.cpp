#include "host/device/accelerator_backend.h"

#include <fmt/format.h>

#include <string_view>

namespace systole {

AcceleratorBackend::AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                                       const BufferSizes& buffers)
    : info_(std::move(info)), device_(std::move(device)), sizes_(device_->sizes()) {
  info_.array_size = sizes_.array_size;
  static_cast<BufferSizes&>(sizes_) = sizes_.limited_to(buffers);
}

void AcceleratorBackend::watch_programs(ProgramWatcher watcher) {
  if (watcher) {
    watchers_.push_back(std::move(watcher));
  } else if (!watchers_.empty()) {
    watchers_.pop_back();
  }
}

void AcceleratorBackend::run(const PlacedProgram& program) {
  for (const ProgramWatcher& watcher : watchers_) watcher(program, device_->memory());
  const ProgramResult result = device_->run(program);
  for (std::size_t i = 0; i < result.counts.size(); ++i) counters_.counts[i] += result.counts[i];
  ++counters_.programs;
  if (result.fault != device::FaultCode::kNone) {
    const auto code = static_cast<std::size_t>(result.fault);
    const std::string_view name =
        code < device::kFaultNames.size() ? device::kFaultNames[code] : "unknown";
    throw DeviceError(fmt::format("device fault: {} (code {}) at command {} of {}, address {:#x}",
                                  name, code, result.command, program.commands.size(),
                                  result.address));
  }
  counters_.products += program.multiplies;
  counters_.macs += program.macs;
}

}  // namespace systole
