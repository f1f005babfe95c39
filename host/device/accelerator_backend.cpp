#include "host/device/accelerator_backend.h"

#include <fmt/format.h>

#include <string>
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

std::string fault_words(const PlacedProgram& program, const ProgramResult& result) {
  const auto code = static_cast<std::size_t>(result.fault);
  const std::string_view name =
      code < device::kFaultNames.size() ? device::kFaultNames[code] : "unknown";
  return fmt::format("device fault: {} (code {}) at command {} of {}, address {:#x}", name, code,
                     result.command, program.commands.size(), result.address);
}

void AcceleratorBackend::run(const PlacedProgram& program) {
  show(program);
  const ProgramResult result = device_->run(program);
  count(program, result);
  if (result.fault != device::FaultCode::kNone) throw DeviceError(fault_words(program, result));
}

void AcceleratorBackend::show(const PlacedProgram& program) {
  for (const ProgramWatcher& watcher : watchers_) watcher(program, device_->memory());
}

void AcceleratorBackend::count(const PlacedProgram& program, const ProgramResult& result) {
  for (std::size_t i = 0; i < result.counts.size(); ++i) counters_.counts[i] += result.counts[i];
  ++counters_.programs;
  if (result.fault != device::FaultCode::kNone) return;
  counters_.products += program.multiplies;
  counters_.macs += program.macs;
}

}  // namespace systole
