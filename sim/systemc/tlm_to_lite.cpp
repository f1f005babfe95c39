#include "sim/systemc/tlm_to_lite.h"

#include <cstring>

namespace systole::sim {
namespace {

constexpr unsigned kWordBytes = 4;
constexpr std::uint64_t kAddresses = 0x1000;

tlm::tlm_response_status status_of(int response) {
  return response == 0 ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE;
}

}  // namespace

TlmToLite::TlmToLite(const sc_core::sc_module_name& name) : sc_module(name) {
  port.register_b_transport(this, &TlmToLite::transport);
}

void TlmToLite::restart(std::uint64_t seed) {
  seed_ = seed;
  random_ = cosim::Random(seed);
  shown_ = {};
  to->write(shown_);
}

int TlmToLite::gap() { return seed_ == 0 ? 0 : random_.between(0, 6) - 2; }

void TlmToLite::tick() {
  to->write(shown_);
  wait(clk.posedge_event());
}

void TlmToLite::transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    wait(clk.posedge_event());
  }
  const Answer answer = access(payload);
  if (payload.is_read() && answer.status == tlm::TLM_OK_RESPONSE) {
    std::memcpy(payload.get_data_ptr(), &answer.data, kWordBytes);
  }
  payload.set_response_status(answer.status);
}

TlmToLite::Answer TlmToLite::access(const tlm::tlm_generic_payload& payload) {
  if (payload.get_data_length() != kWordBytes || payload.get_streaming_width() < kWordBytes) {
    return {tlm::TLM_BURST_ERROR_RESPONSE};
  }
  if (payload.get_address() >= kAddresses) return {tlm::TLM_ADDRESS_ERROR_RESPONSE};
  const auto address = static_cast<std::uint16_t>(payload.get_address());
  const std::uint8_t* enables = payload.get_byte_enable_ptr();
  if (payload.is_read()) {
    if (enables != nullptr) return {tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE};
    return read(address);
  }
  if (!payload.is_write()) return {tlm::TLM_OK_RESPONSE};
  std::uint8_t strobe = 0;
  for (unsigned i = 0; i < kWordBytes; ++i) {
    const bool enabled =
        enables == nullptr || enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
    strobe = static_cast<std::uint8_t>(strobe | (enabled ? 1u << i : 0u));
  }
  std::uint32_t data = 0;
  std::memcpy(&data, payload.get_data_ptr(), kWordBytes);
  return write(address, data, strobe);
}

TlmToLite::Answer TlmToLite::read(std::uint16_t address) {
  Signal asked{gap()}, ready{gap()};
  for (int clock = 0; clock < kLongest; ++clock) {
    shown_.read_address = address;
    shown_.read_address_valid = asked.next();
    shown_.read_data_ready = ready.next();
    tick();
    // At the edge, signals still have their values of the clock that it ends.
    const LiteFromDevice& in = from->read();
    asked.done |= shown_.read_address_valid && in.read_address_ready;
    ready.done |= shown_.read_data_ready && in.read_data_valid;
    if (!ready.done) continue;
    const Answer answer{status_of(in.read_response), in.read_data};
    shown_ = {};
    to->write(shown_);
    return answer;
  }
  return {tlm::TLM_INCOMPLETE_RESPONSE};
}

TlmToLite::Answer TlmToLite::write(std::uint16_t address, std::uint32_t data, std::uint8_t strobe) {
  Signal asked{gap()}, given{gap()}, ready{gap()};
  for (int clock = 0; clock < kLongest; ++clock) {
    shown_.write_address = address;
    shown_.write_address_valid = asked.next();
    shown_.write_data = data;
    shown_.write_strobe = strobe;
    shown_.write_data_valid = given.next();
    shown_.write_response_ready = ready.next();
    tick();
    const LiteFromDevice& in = from->read();
    asked.done |= shown_.write_address_valid && in.write_address_ready;
    given.done |= shown_.write_data_valid && in.write_data_ready;
    ready.done |= shown_.write_response_ready && in.write_response_valid;
    if (!ready.done) continue;
    const Answer answer{status_of(in.write_response)};
    shown_ = {};
    to->write(shown_);
    return answer;
  }
  return {tlm::TLM_INCOMPLETE_RESPONSE};
}

}  // namespace systole::sim
