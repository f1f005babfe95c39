#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "sim/device/simulated_device.h"

namespace systole::sim {

/// Two devices that should be the same did not show the same.
class LockstepError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Two simulations of one accelerator, side by side: both get the same signals, and what they show
/// is compared in every clock. Data is compared where its valid is set, and bytes where their
/// strobe is.
///
/// Errors   LockstepError with the clock, the signal and both values
template <SimulatedDevice First, SimulatedDevice Second>
class LockstepDevice {
  static_assert(First::kN == Second::kN);

 public:
  static constexpr int kN = First::kN;

  LockstepDevice(std::unique_ptr<First> first, std::unique_ptr<Second> second)
      : first_(std::move(first)), second_(std::move(second)) {}

  void reset() {
    first_->reset();
    second_->reset();
  }

  void clock(const ToDevice& to) {
    first_->clock(to);
    second_->clock(to);
    ++clock_;
  }

  void show(FromDevice& from) {
    first_->show(from);
    second_->show(other_);
    compare_axi(from.axi, other_.axi);
    compare_lite(from.lite, other_.lite);
    same("interrupt", from.interrupt, other_.interrupt);
  }

 private:
  void same(std::string_view signal, std::uint64_t first, std::uint64_t second) const {
    if (first == second) return;
    throw LockstepError(fmt::format("clock {}: {} is {:#x} in one and {:#x} in the other", clock_,
                                    signal, first, second));
  }

  void compare_request(std::string_view name, const MemoryRequest& a, const MemoryRequest& b) {
    same(name, a.valid, b.valid);
    if (!a.valid) return;
    same(name, a.address, b.address);
    same(name, a.beats_less_one, b.beats_less_one);
    same(name, a.id, b.id);
  }

  void compare_axi(const AxiFromDevice& a, const AxiFromDevice& b) {
    compare_request("read_request", a.read_request, b.read_request);
    compare_request("write_request", a.write_request, b.write_request);
    same("read_ready", a.read_ready, b.read_ready);
    same("response_ready", a.response_ready, b.response_ready);
    same("write.valid", a.write.valid, b.write.valid);
    if (!a.write.valid) return;
    same("write.last", a.write.last, b.write.last);
    same("write.strobe", a.write.strobe[0], b.write.strobe[0]);
    same("write.strobe", a.write.strobe[1], b.write.strobe[1]);
    for (std::size_t i = 0; i < kN; ++i) {
      if (a.write.strobe[i / 64] >> (i % 64) & 1) {
        same("write.data", a.write.data[i], b.write.data[i]);
      }
    }
  }

  void compare_lite(const LiteFromDevice& a, const LiteFromDevice& b) {
    same("write_address_ready", a.write_address_ready, b.write_address_ready);
    same("write_data_ready", a.write_data_ready, b.write_data_ready);
    same("write_response_valid", a.write_response_valid, b.write_response_valid);
    if (a.write_response_valid) same("write_response", a.write_response, b.write_response);
    same("read_address_ready", a.read_address_ready, b.read_address_ready);
    same("read_data_valid", a.read_data_valid, b.read_data_valid);
    if (!a.read_data_valid) return;
    same("read_data", a.read_data, b.read_data);
    same("read_response", a.read_response, b.read_response);
  }

  std::unique_ptr<First> first_;
  std::unique_ptr<Second> second_;
  FromDevice other_;
  std::uint64_t clock_ = 0;
};

}  // namespace systole::sim
