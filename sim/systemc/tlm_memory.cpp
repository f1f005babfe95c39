#include "sim/systemc/tlm_memory.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace systole::sim {

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, sc_core::sc_time period)
    : sc_module(name), period_(std::move(period)) {
  port.register_b_transport(this, &TlmMemory::transport);
}

void TlmMemory::restart(DeviceMemory& memory, const MemoryBehaviour& behaviour) {
  memory_ = &memory;
  behaviour_ = behaviour;
  reads_ = writes_ = 0;
}

void TlmMemory::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_response_status(move(payload));
  delay += period_ * (payload.is_read() ? behaviour_.latency : behaviour_.write_latency);
}

bool TlmMemory::must_fail(std::uint64_t first, std::uint64_t size, bool is_read) const {
  const auto every = static_cast<std::uint64_t>(is_read ? behaviour_.read_error_every
                                                        : behaviour_.write_error_every);
  if (every != 0 && (is_read ? reads_ : writes_) % every == 0) return true;
  return std::ranges::any_of(behaviour_.error_ranges, [&](const ErrorRange& range) {
    return range.meets(first, first + size - 1, is_read);
  });
}

tlm::tlm_response_status TlmMemory::move(tlm::tlm_generic_payload& payload) {
  if (!payload.is_read() && !payload.is_write()) return tlm::TLM_OK_RESPONSE;
  const bool is_read = payload.is_read();
  const std::uint64_t address = payload.get_address();
  const std::size_t size = payload.get_data_length();
  if (payload.get_streaming_width() < size) return tlm::TLM_BURST_ERROR_RESPONSE;
  ++(is_read ? reads_ : writes_);
  if (memory_ == nullptr || must_fail(address, size, is_read)) {
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }

  std::uint8_t* const data = payload.get_data_ptr();
  const std::uint8_t* const enables = payload.get_byte_enable_ptr();
  const std::size_t period = payload.get_byte_enable_length();
  const auto enabled = [&](std::size_t i) {
    return enables == nullptr || enables[i % period] == TLM_BYTE_ENABLED;
  };
  std::byte* const block = memory_->find(address, size);
  const auto find = [&](std::size_t i) {
    return block != nullptr ? block + i : memory_->find(address + i, 1);
  };
  if (block == nullptr) {
    for (std::size_t i = 0; i < size; ++i) {
      if (enabled(i) && find(i) == nullptr) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (!enabled(i)) continue;
    if (is_read) {
      data[i] = static_cast<std::uint8_t>(*find(i));
    } else {
      *find(i) = static_cast<std::byte>(data[i]);
    }
  }
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace systole::sim
