#pragma once

#include <memory>
#include <utility>

#include "host/device/device_map.h"
#include "sim/memory/axi_signals.h"

namespace systole::tests {

/// A bug in a device.
enum class Flaw {
  kNone,
  kWrittenBit,
  kAddress,
  kLostInterrupt,
  kLastBeatErrors,  ///< only an error on the last beat of a burst counts
  kDropsBits,       ///< registers accept any value and drop undefined bits
  kLateMarker,      ///< after a fault the marker is another one
};

/// The beat of written data, from 0, that has a wrong bit.
inline constexpr int kFlawedWrite = 5;
inline constexpr int kFlawedByte = 2;

/// A SimulatedDevice with a flaw in its outputs.
template <typename Device, Flaw kFlaw>
class Flawed {
 public:
  static constexpr int kN = Device::kN;
  static constexpr int kBus = Device::kBus;

  explicit Flawed(std::unique_ptr<Device> device = std::make_unique<Device>())
      : device_(std::move(device)) {}

  void reset() { device_->reset(); }

  void show(sim::FromDevice& from) {
    device_->show(from);
    if (kFlaw == Flaw::kWrittenBit && writes_ == kFlawedWrite)
      from.axi.write.data[kFlawedByte] ^= 1;
    if (kFlaw == Flaw::kAddress && from.axi.read_request.valid && reads_ == 9) {
      from.axi.read_request.address += 4;
    }
    if (kFlaw == Flaw::kLostInterrupt) from.interrupt = false;
    if (kFlaw == Flaw::kLateMarker && from.lite.read_data_valid) {
      if (read_ == device::Register::kStatus) faulted_ = from.lite.read_data & device::kFaulted;
      if (read_ == device::Register::kMarker && faulted_) from.lite.read_data ^= 1;
    }
    writes_shown_ = from.axi.write.valid;
    reads_shown_ = from.axi.read_request.valid;
  }

  void clock(const sim::ToDevice& to) {
    if (to.lite.read_address_valid) read_ = static_cast<device::Register>(to.lite.read_address);
    writes_ += writes_shown_ && to.axi.write_ready;
    reads_ += reads_shown_ && to.axi.read_request_ready;
    if constexpr (kFlaw == Flaw::kLastBeatErrors || kFlaw == Flaw::kDropsBits) {
      sim::ToDevice seen = to;
      if (kFlaw == Flaw::kLastBeatErrors) seen.axi.read.error &= to.axi.read.last;
      if (kFlaw == Flaw::kDropsBits) {
        for (const auto& [offset, bits] : device::kWritableRegisters) {
          if (offset == to.lite.write_address) seen.lite.write_data &= bits;
        }
      }
      device_->clock(seen);
    } else {
      device_->clock(to);
    }
  }

 private:
  std::unique_ptr<Device> device_;
  int writes_ = 0, reads_ = 0;
  bool writes_shown_ = false, reads_shown_ = false;
  device::Register read_{};  ///< by the host
  bool faulted_ = false;
};

}  // namespace systole::tests
