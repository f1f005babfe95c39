#include "host/capi/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace systole::capi {

SharedDevice::SharedDevice(DeviceLine line, DataType precision)
    : line_(std::move(line)), precision_(precision) {
  if (precision == DataType::kFp32) return;
  for (const Device& device : line_.cores) {
    products_.push_back(std::make_unique<lowering::ProductPrograms>(device, precision));
  }
}

CoreTeam& SharedDevice::team() {
  const auto count = static_cast<int>(cores());
  if (!team_) team_ = std::make_unique<CoreTeam>(count, count);
  return *team_;
}

std::vector<std::unique_ptr<graph::Graph>> SharedDevice::read(std::string_view text,
                                                              graph::Scopes scopes,
                                                              graph::Products products) const {
  std::vector<std::unique_ptr<graph::Graph>> graphs;
  for (std::size_t core = 0; core < cores(); ++core) {
    graphs.push_back(graph::read(
        text, scopes, products, {},
        {.core = static_cast<std::int64_t>(core), .cores = static_cast<std::int64_t>(cores())}));
  }
  return graphs;
}

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
  const std::size_t cores = device_->cores();
  const Buffers from = match("input", inputs_, inputs, cores),
                to = match("output", outputs_, outputs, cores);
  check_overlap(inputs_, outputs_, from, to);
  const auto lock = device_->lock();
  const auto start = std::chrono::steady_clock::now();
  std::vector<Counters> before;
  for (std::size_t core = 0; core < cores; ++core) before.push_back(counters(core));
  execute(from, to);
  ++runs_;
  last_run_ = {};
  for (std::size_t core = 0; core < cores; ++core) add(counters(core) - before[core]);
  const auto size = static_cast<double>(device_->core(0).info().array_size);
  const double most = static_cast<double>(last_run_.clocks * cores) * size * size;
  if (most > 0) last_run_.utilization = static_cast<double>(last_run_.macs) / most;
  last_run_.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void Program::add(const Counters& done) {
  const Stalls stalls = systole::stalls(done);
  last_run_.clocks = std::max(last_run_.clocks, done.cycles());
  last_run_.products += done.products;
  last_run_.macs += done.macs;
  last_run_.stall_load += stalls.load;
  last_run_.stall_store += stalls.store;
  last_run_.stall_weights += stalls.weights;
  last_run_.stall_sums += stalls.sums;
  last_run_.stall_idle += stalls.idle + stalls.vector;
}

void Program::read(std::int32_t output, const systole_buffer& buffer) {
  const std::size_t count = device_->cores() * outputs_.size();
  const auto number = static_cast<std::size_t>(output);
  if (output < 0 || number >= count) {
    throw std::invalid_argument(fmt::format("{} is none of {}", output, count));
  }
  const std::size_t place = number % outputs_.size();
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
  read_output(number, buffer.data);
}

systole_step Program::last_run() const {
  const auto lock = device_->lock();
  if (runs_ == 0) throw std::invalid_argument("the program has not run yet");
  return last_run_;
}

}  // namespace systole::capi
