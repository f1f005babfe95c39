#include "sim/kernel/lite_bus.h"

#include <fmt/format.h>

#include <stdexcept>

namespace systole::sim {

void LiteBus::drive() {
  const auto set = [&](const char* port, std::uint64_t value) { ports_.set(port, value); };
  set("s_axil_awvalid_i", to_.write_address_valid);
  set("s_axil_awaddr_i", to_.write_address);
  set("s_axil_wvalid_i", to_.write_data_valid);
  set("s_axil_wdata_i", to_.write_data);
  set("s_axil_wstrb_i", to_.write_strobe);
  set("s_axil_bready_i", to_.write_response_ready);
  set("s_axil_arvalid_i", to_.read_address_valid);
  set("s_axil_araddr_i", to_.read_address);
  set("s_axil_rready_i", to_.read_data_ready);
}

void LiteBus::check() {
  const auto get = [&](const char* port) { return static_cast<std::uint32_t>(ports_.get(port)); };
  const LiteFromDevice from{.write_address_ready = get("s_axil_awready_o") != 0,
                            .write_data_ready = get("s_axil_wready_o") != 0,
                            .write_response_valid = get("s_axil_bvalid_o") != 0,
                            .read_address_ready = get("s_axil_arready_o") != 0,
                            .read_data_valid = get("s_axil_rvalid_o") != 0,
                            .write_response = static_cast<std::uint8_t>(get("s_axil_bresp_o")),
                            .read_response = static_cast<std::uint8_t>(get("s_axil_rresp_o")),
                            .read_data = get("s_axil_rdata_o")};
  monitor_.check(from, to_);
  if (from.write_address_ready) to_.write_address_valid = false;
  if (from.write_data_ready) to_.write_data_valid = false;
  if (from.read_address_ready) to_.read_address_valid = false;
  if (from.write_response_valid && to_.write_response_ready) {
    answered_ = true;
    response_ = from.write_response;
  }
  if (from.read_data_valid && to_.read_data_ready) {
    answered_ = true;
    response_ = from.read_response;
    data_ = from.read_data;
  }
}

void LiteBus::wait_for(const bool& done, const char* what, std::uint32_t offset) {
  for (int clocks = 0; !done; ++clocks) {
    if (clocks == kMostClocks) {
      throw std::runtime_error(fmt::format("a {} of register {:#x} has no answer", what, offset));
    }
    drive();
    clock_();
  }
  to_ = {};
  drive();
  answered_ = false;
  if (response_ != 0) {
    throw std::runtime_error(fmt::format("a {} of register {:#x} is refused", what, offset));
  }
}

std::uint32_t LiteBus::read(std::uint32_t offset) {
  to_.read_address_valid = to_.read_data_ready = true;
  to_.read_address = static_cast<std::uint16_t>(offset);
  wait_for(answered_, "read", offset);
  return data_;
}

void LiteBus::write(std::uint32_t offset, std::uint32_t value) {
  to_.write_address_valid = to_.write_data_valid = to_.write_response_ready = true;
  to_.write_address = static_cast<std::uint16_t>(offset);
  to_.write_data = value;
  to_.write_strobe = 15;
  wait_for(answered_, "write", offset);
}

}  // namespace systole::sim
