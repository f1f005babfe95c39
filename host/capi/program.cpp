#include "host/capi/program.h"

#include <fmt/format.h>

#include <chrono>

namespace systole::capi {

void SharedDevice::need_own_process() const {
  if (owner_ == getpid()) return;
  throw ForkedError(
      "this device was opened before the process forked: open it in the new process, or start that "
      "with spawn instead of fork");
}

std::unique_lock<std::mutex> SharedDevice::lock() {
  need_own_process();
  return std::unique_lock(mutex_);
}

void Program::run(std::span<const systole_buffer> inputs, std::span<const systole_buffer> outputs) {
  const Buffers from = match("input", inputs_, inputs), to = match("output", outputs_, outputs);
  check_overlap(inputs_, from, to);
  const auto lock = device_->lock();
  const auto start = std::chrono::steady_clock::now();
  const Counters before = counters();
  execute(from, to);
  ++runs_;
  const Counters done = counters() - before;
  const Stalls stalls = systole::stalls(done);
  last_run_ = {
      .clocks = done.cycles(),
      .products = done.products,
      .macs = done.macs,
      .stall_load = stalls.load,
      .stall_store = stalls.store,
      .stall_weights = stalls.weights,
      .stall_sums = stalls.sums,
      .stall_idle = stalls.idle + stalls.vector,
      .utilization = utilization(done, device_->device().info().array_size),
      .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

void Program::read(std::int32_t output, const systole_buffer& buffer) {
  if (output < 0 || output >= std::ssize(outputs_)) {
    throw std::invalid_argument(fmt::format("{} is none of {}", output, outputs_.size()));
  }
  const auto place = static_cast<std::size_t>(output);
  if (!outputs_[place].stays) {
    throw std::invalid_argument(
        fmt::format("output {} ('{}') does not stay on the device: run writes it", output,
                    outputs_[place].name));
  }
  if (buffer.data == nullptr || buffer.size_bytes != outputs_[place].size_bytes) {
    throw std::invalid_argument(fmt::format("output {} ('{}') takes {} bytes, not {}", output,
                                            outputs_[place].name, outputs_[place].size_bytes,
                                            buffer.data == nullptr ? 0 : buffer.size_bytes));
  }
  const auto lock = device_->lock();
  if (runs_ == 0) throw std::invalid_argument("the program has not run yet");
  read_output(place, buffer.data);
}

systole_step Program::last_run() const {
  const auto lock = device_->lock();
  if (runs_ == 0) throw std::invalid_argument("the program has not run yet");
  return last_run_;
}

}  // namespace systole::capi
