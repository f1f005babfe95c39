#include "sim/systemc/systemc_line.h"

#include <exception>
#include <mutex>
#include <utility>

#include "sim/device/core_line.h"
#include "sim/device/watchdog.h"
#include "sim/systemc/device_model.h"
#include "sim/systemc/systemc_bench.h"
#include "sim/systemc/systemc_device.h"

namespace systole::sim {
namespace {

constexpr HarnessOptions kOptions;

/// A core's registers, for the host that has its bench's thread.
class LinePort final : public DevicePort {
 public:
  explicit LinePort(SystemcBench& bench) : bench_(bench) {}

  LiteAnswer read_bus(std::uint16_t offset) override {
    const LiteAnswer answer = bench_.host().read(offset);
    bench_.require_sound();
    return answer;
  }
  LiteAnswer write_bus(std::uint16_t offset, std::uint32_t value, int strobe) override {
    const LiteAnswer answer = bench_.host().write(offset, value, strobe);
    bench_.require_sound();
    return answer;
  }
  void wait_for_interrupt() override {
    Watchdog watchdog;
    while (!bench_.host().wait_for_interrupt(kOptions.patience)) {
      bench_.require_sound();
      watchdog.look(*this, kOptions.patience);
    }
    bench_.require_sound();
  }
  bool interrupt() const override { return bench_.interrupt(); }
  void run(std::uint64_t clocks) override {
    bench_.host().run(clocks);
    bench_.require_sound();
  }
  std::uint64_t clocks() const override { return bench_.clocks(); }

 private:
  SystemcBench& bench_;
};

class SystemcCores final : public LineCores {
 public:
  SystemcCores(int array_size, const std::vector<std::shared_ptr<DeviceMemory>>& memories,
               const MemoryBehaviour& behaviour) {
    const std::lock_guard lock(SystemcBench::scheduler());
    benches_ = SystemcBench::acquire_line(static_cast<int>(memories.size()));
    for (std::size_t i = 0; i < benches_.size(); ++i) {
      benches_[i]->restart(make_verilated_model(array_size), make_native_model(array_size),
                           *memories[i], behaviour, kOptions);
      if (i > 0) benches_[i - 1]->join_above(true);
      ports_.push_back(std::make_shared<LinePort>(*benches_[i]));
    }
  }
  ~SystemcCores() override {
    const std::lock_guard lock(SystemcBench::scheduler());
    for (SystemcBench* bench : benches_) bench->release();
  }
  SystemcCores(const SystemcCores&) = delete;
  SystemcCores& operator=(const SystemcCores&) = delete;

  std::span<const std::shared_ptr<DevicePort>> ports() const override { return ports_; }

  void run(std::span<const std::function<void()>> hosts) override {
    const std::lock_guard lock(SystemcBench::scheduler());
    errors_.assign(hosts.size(), nullptr);
    left_ = hosts.size();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      benches_[i]->host().lend([this, i, &host = hosts[i]] { serve(i, host); });
    }
    sc_core::sc_start();
    for (const std::exception_ptr& error : errors_) {
      if (error) std::rethrow_exception(error);
    }
  }

  void stall_from_below(int core, std::uint64_t clocks) override {
    benches_[static_cast<std::size_t>(core - 1)]->link_above().stall(clocks);
  }

 private:
  // The last one stops all clocks.
  void serve(std::size_t core, const std::function<void()>& host) {
    SystemcBench& own = *benches_[core];
    try {
      try {
        host();
      } catch (const sc_core::sc_unwind_exception&) {
        throw;  // SystemC ends the thread with it
      } catch (const TlmHost::GivenUp&) {
      } catch (...) {
        errors_[core] = std::current_exception();
        // At the next meeting of a CoreLine, so that the same cores have met a fault by then.
        own.host().run(CoreLine::kFlight - own.clocks() % CoreLine::kFlight);
        for (SystemcBench* bench : benches_) bench->host().give_up();
      }
    } catch (const TlmHost::GivenUp&) {
    }
    if (--left_ > 0) return;
    for (SystemcBench* bench : benches_) bench->host().stop_clock();
    sc_core::sc_pause();
  }

  std::vector<SystemcBench*> benches_;
  std::vector<std::shared_ptr<DevicePort>> ports_;
  std::vector<std::exception_ptr> errors_;  ///< by core
  std::size_t left_ = 0;                    ///< hosts that have not returned
};

}  // namespace

std::unique_ptr<LineCores> make_systemc_cores(
    int array_size, const std::vector<std::shared_ptr<DeviceMemory>>& memories,
    const MemoryBehaviour& behaviour) {
  need_systemc_bus(array_size, behaviour);
  return std::make_unique<SystemcCores>(array_size, memories, behaviour);
}

}  // namespace systole::sim
