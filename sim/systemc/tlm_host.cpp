#include "sim/systemc/tlm_host.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "host/device/device.h"

namespace systole::sim {
namespace {

constexpr int kOkay = 0;
constexpr int kSlaveError = 2;
constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // of a host that has the thread

}  // namespace

TlmHost::TlmHost(const sc_core::sc_module_name& name, GatedClock& clock)
    : sc_module(name), clock_(clock) {
  SC_HAS_PROCESS(TlmHost);
  SC_THREAD(serve);
  set_stack_size(kStackBytes);
}

void TlmHost::serve() {
  for (;;) {
    wait(asked_);
    try {
      job_();
    } catch (const sc_core::sc_unwind_exception&) {
      throw;  // SystemC ends the thread with it
    } catch (...) {
      error_ = std::current_exception();
    }
    if (std::exchange(is_lent_, false)) continue;
    clock_.stop();
    sc_core::sc_pause();
  }
}

void TlmHost::lend(std::function<void()> host) {
  is_lent_ = true;
  gives_up_ = false;
  start(std::move(host));
}

void TlmHost::give_up() {
  gives_up_ = true;
  given_up_.notify(sc_core::SC_ZERO_TIME);
}

void TlmHost::start(std::function<void()> job) {
  job_ = std::move(job);
  clock_.start();
  asked_.notify(sc_core::SC_ZERO_TIME);
}

void TlmHost::perform(std::function<void()> job) {
  if (is_lent_) {
    if (!gives_up_) job();
    if (gives_up_) throw GivenUp();
    return;
  }
  error_ = nullptr;
  start(std::move(job));
  sc_core::sc_start();
  if (error_) std::rethrow_exception(error_);
}

LiteAnswer TlmHost::transport(tlm::tlm_generic_payload& payload) {
  std::uint32_t& data = *reinterpret_cast<std::uint32_t*>(payload.get_data_ptr());
  payload.set_data_length(sizeof data);
  payload.set_streaming_width(sizeof data);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  registers->b_transport(payload, delay);
  if (payload.is_response_ok()) return {payload.is_read() ? data : 0, kOkay};
  if (payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE) {
    return {payload.is_read() ? data : 0, kSlaveError};
  }
  throw DeviceError(fmt::format("the register access at {:#05x} came back with {}",
                                payload.get_address(), payload.get_response_string()));
}

LiteAnswer TlmHost::read(std::uint16_t offset) {
  LiteAnswer answer;
  perform([&] {
    std::uint32_t data = 0;
    tlm::tlm_generic_payload payload;
    payload.set_read();
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&data));
    answer = transport(payload);
  });
  return answer;
}

LiteAnswer TlmHost::write(std::uint16_t offset, std::uint32_t value, int strobe) {
  LiteAnswer answer;
  perform([&] {
    std::array<unsigned char, sizeof value> enables{};
    for (std::size_t i = 0; i < enables.size(); ++i) {
      enables[i] = strobe >> i & 1 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    tlm::tlm_generic_payload payload;
    payload.set_write();
    payload.set_address(offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(sizeof value);
    answer = transport(payload);
  });
  return answer;
}

bool TlmHost::wait_for_interrupt(std::uint64_t clocks) {
  if (!interrupt->read()) perform([=, this] { wait_clocks(clocks, true); });
  return interrupt->read();
}

void TlmHost::run(std::uint64_t clocks) {
  if (clocks != 0) perform([=, this] { wait_clocks(clocks, false); });
}

void TlmHost::wait_clocks(std::uint64_t clocks, bool until_interrupt) {
  clock_.count(clocks);
  if (until_interrupt) {
    wait(clock_.counted | interrupt.posedge_event() | given_up_);
  } else {
    wait(clock_.counted | given_up_);
  }
  clock_.count(0);
}

}  // namespace systole::sim
