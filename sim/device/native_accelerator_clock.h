#pragma once

// The members of NativeAccelerator that take seconds to compile, for the sources that instantiate
// them.

#include <cstring>

#include "sim/device/native_accelerator.h"

namespace systole::sim {

template <typename Bits>
std::uint8_t to_byte(const Bits& bits) {
  return static_cast<std::uint8_t>(bits.value());
}

template <bool kData>
void show_link(const auto& out, const hls::UInt1& in_ready, LinkFromDevice& link) {
  link.in_ready = static_cast<bool>(in_ready);
  link.out.valid = static_cast<bool>(out.valid);
  if (!link.out.valid) return;
  link.out.last = static_cast<bool>(out.data.last);
  if constexpr (kData) {
    std::memcpy(link.out.lanes.data(), &out.data.lanes, sizeof out.data.lanes);
  }
}

template <bool kData>
void drive_link(const LinkToDevice& link, auto& in, hls::UInt1& out_ready) {
  out_ready = hls::UInt1::from(link.out_ready);
  in.valid = hls::UInt1::from(link.in.valid);
  if (!link.in.valid) return;
  in.data.last = hls::UInt1::from(link.in.last);
  if constexpr (kData) {
    std::memcpy(static_cast<void*>(&in.data.lanes), link.in.lanes.data(), sizeof in.data.lanes);
  }
}

template <int kSize, bool kWithData, int kBusBytes, int kStages>
void NativeAccelerator<kSize, kWithData, kBusBytes, kStages>::reset() {
  unit_.reset();
}

template <int kSize, bool kWithData, int kBusBytes, int kStages>
void NativeAccelerator<kSize, kWithData, kBusBytes, kStages>::show(FromDevice& from) const {
  const auto out = unit_.outputs();
  AxiFromDevice& axi = from.axi;
  axi.read_request = {.address = out.memory_read_request.data.address.value(),
                      .beats_less_one = to_byte(out.memory_read_request.data.beats_less_one),
                      .id = to_byte(out.memory_read_request.data.id),
                      .valid = static_cast<bool>(out.memory_read_request.valid)};
  axi.write_request = {.address = out.memory_write_request.data.address.value(),
                       .beats_less_one = to_byte(out.memory_write_request.data.beats_less_one),
                       .valid = static_cast<bool>(out.memory_write_request.valid)};
  axi.write.valid = static_cast<bool>(out.memory_write.valid);
  if (axi.write.valid) {
    const auto& beat = out.memory_write.data;
    axi.write.last = static_cast<bool>(beat.last);
    if constexpr (kData) {
      const auto strobe = beat.strobe.raw();
      static_assert(kBus <= 64);
      axi.write.strobe[0] = static_cast<std::uint64_t>(strobe);
      static_assert(sizeof beat.data == kBus);
      std::memcpy(axi.write.data.data(), &beat.data, kBus);
    }
  }
  axi.read_ready = static_cast<bool>(out.memory_read_ready);
  axi.response_ready = static_cast<bool>(out.memory_response_ready);

  LiteFromDevice& lite = from.lite;
  lite.write_address_ready = static_cast<bool>(out.write_address_ready);
  lite.write_data_ready = static_cast<bool>(out.write_data_ready);
  lite.write_response_valid = static_cast<bool>(out.write_response.valid);
  lite.write_response = to_byte(out.write_response.data);
  lite.read_address_ready = static_cast<bool>(out.read_address_ready);
  lite.read_data_valid = static_cast<bool>(out.read_data.valid);
  lite.read_data = static_cast<std::uint32_t>(out.read_data.data.data.value());
  lite.read_response = to_byte(out.read_data.data.response);
  from.interrupt = static_cast<bool>(out.interrupt);
  show_link<kData>(out.up_out, out.up_in_ready, from.up);
  show_link<kData>(out.down_out, out.down_in_ready, from.down);
}

template <int kSize, bool kWithData, int kBusBytes, int kStages>
void NativeAccelerator<kSize, kWithData, kBusBytes, kStages>::clock(const ToDevice& to) {
  using namespace hls;
  const LiteToDevice& lite = to.lite;
  in_.write_address = {.valid = UInt1::from(lite.write_address_valid),
                       .data = UInt<12>::from(lite.write_address)};
  in_.write_data = {
      .valid = UInt1::from(lite.write_data_valid),
      .data = {.data = UInt32::from(lite.write_data), .strobe = UInt<4>::from(lite.write_strobe)}};
  in_.write_response_ready = UInt1::from(lite.write_response_ready);
  in_.read_address = {.valid = UInt1::from(lite.read_address_valid),
                      .data = UInt<12>::from(lite.read_address)};
  in_.read_data_ready = UInt1::from(lite.read_data_ready);

  const AxiToDevice& axi = to.axi;
  in_.memory_read.valid = UInt1::from(axi.read.valid);
  if (axi.read.valid) {
    auto& beat = in_.memory_read.data;
    beat.error = UInt1::from(axi.read.error);
    beat.last = UInt1::from(axi.read.last);
    beat.id = kernels::Reader::from(axi.read.id);
    static_assert(sizeof beat.data == kBus);
    // Without a data path, only commands and the vector engine's programs matter.
    if (kData || axi.read.id != kReadsLoads) {
      std::memcpy(static_cast<void*>(&beat.data), axi.read.data.data(), kBus);
    }
  }
  in_.memory_read_request_ready = UInt1::from(axi.read_request_ready);
  in_.memory_write_request_ready = UInt1::from(axi.write_request_ready);
  in_.memory_write_ready = UInt1::from(axi.write_ready);
  in_.memory_response = {.valid = UInt1::from(axi.response.valid),
                         .data = UInt1::from(axi.response.error)};
  drive_link<kData>(to.up, in_.up_in, in_.up_out_ready);
  drive_link<kData>(to.down, in_.down_in, in_.down_out_ready);
  unit_.clock(in_);
}

}  // namespace systole::sim
