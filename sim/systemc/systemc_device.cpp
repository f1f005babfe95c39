#include "sim/systemc/systemc_device.h"

#include <fmt/format.h>

#include <mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "host/device/device.h"
#include "sim/device/watchdog.h"
#include "sim/systemc/systemc_bench.h"

namespace systole::sim {
namespace {

class SystemcDevice final : public DevicePort {
 public:
  SystemcDevice(std::unique_ptr<DeviceModel> first, std::unique_ptr<DeviceModel> second,
                DeviceMemory& memory, const MemoryBehaviour& behaviour,
                const HarnessOptions& options)
      : patience_(options.patience) {
    check_behaviour(behaviour);
    const std::lock_guard lock(SystemcBench::scheduler());
    bench_ = &SystemcBench::acquire();
    bench_->restart(std::move(first), std::move(second), memory, behaviour, options);
  }
  ~SystemcDevice() override {
    const std::lock_guard lock(SystemcBench::scheduler());
    bench_->release();
  }
  SystemcDevice(const SystemcDevice&) = delete;
  SystemcDevice& operator=(const SystemcDevice&) = delete;

  LiteAnswer read_bus(std::uint16_t offset) override {
    return sound([&] { return bench_->host().read(offset); });
  }
  LiteAnswer write_bus(std::uint16_t offset, std::uint32_t value, int strobe) override {
    return sound([&] { return bench_->host().write(offset, value, strobe); });
  }

  void wait_for_interrupt() override {
    Watchdog watchdog;
    while (!sound([&] { return bench_->host().wait_for_interrupt(patience_); })) {
      watchdog.look(*this, patience_);
    }
  }
  bool interrupt() const override { return bench_->interrupt(); }

  void run(std::uint64_t clocks) override {
    sound([&] {
      bench_->host().run(clocks);
      return true;
    });
  }
  std::uint64_t clocks() const override { return bench_->clocks(); }

 private:
  /// Rethrows a process's failure first: the host's errors follow from it.
  template <typename Step>
  std::invoke_result_t<Step&> sound(Step&& step) {
    const std::lock_guard lock(SystemcBench::scheduler());
    bench_->require_sound();
    try {
      auto result = step();
      bench_->require_sound();
      return result;
    } catch (const DeviceError&) {
      bench_->require_sound();
      throw;
    }
  }

  SystemcBench* bench_ = nullptr;
  std::uint64_t patience_;
};

}  // namespace

void need_systemc_bus(int array_size, const MemoryBehaviour& behaviour) {
  if (behaviour.bus_bytes == 0 || behaviour.bus_bytes == array_size) return;
  throw std::invalid_argument(
      fmt::format("systemc has no {0} x {0} array with a bus of {1} bytes: its bus has {0}",
                  array_size, behaviour.bus_bytes));
}

std::unique_ptr<DevicePort> make_systemc_device(int array_size, DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  need_systemc_bus(array_size, behaviour);
  return make_systemc_device(make_verilated_model(array_size), make_native_model(array_size),
                             memory, behaviour, options);
}

std::unique_ptr<DevicePort> make_systemc_device(std::unique_ptr<DeviceModel> first,
                                                std::unique_ptr<DeviceModel> second,
                                                DeviceMemory& memory,
                                                const MemoryBehaviour& behaviour,
                                                const HarnessOptions& options) {
  if (first == nullptr || (second != nullptr && second->array_size() != first->array_size())) {
    throw std::invalid_argument("a systemc device needs a model, and a second of the same size");
  }
  return std::make_unique<SystemcDevice>(std::move(first), std::move(second), memory, behaviour,
                                         options);
}

}  // namespace systole::sim
