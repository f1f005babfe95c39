#include "sim/kernel/axi_port.h"

#include <algorithm>
#include <utility>

namespace systole::sim {
namespace {

int bus_bytes_of(const std::string& name, const cosim::KernelPorts& ports) {
  return std::max(ports.input_width(name + "_rdata_i"), ports.output_width(name + "_wdata_o")) / 8;
}

}  // namespace

bool AxiPort::is_port(const std::string& name, const cosim::KernelPorts& ports) {
  return bus_bytes_of(name, ports) != 0;
}

AxiPort::AxiPort(std::string name, const cosim::KernelPorts& ports, DeviceMemory& memory,
                 MemoryBehaviour behaviour)
    : name_(std::move(name)),
      bus_bytes_(bus_bytes_of(name_, ports)),
      reads_(ports.has_input(name_ + "_rdata_i")),
      memory_(memory, bus_bytes_, std::move(behaviour)),
      monitor_(bus_bytes_) {}

void AxiPort::drive(cosim::KernelPorts& ports) const {
  const auto set = [&](const char* port, bool value) { ports.set(name_ + port, value ? 1 : 0); };
  constexpr int kSlaveError = 2;
  set("_arready_i", to_.read_request_ready);
  set("_rvalid_i", to_.read.valid);
  ports.set(name_ + "_rresp_i", to_.read.error ? kSlaveError : 0);
  set("_awready_i", to_.write_request_ready);
  set("_wready_i", to_.write_ready);
  set("_bvalid_i", to_.response.valid);
  ports.set(name_ + "_bresp_i", to_.response.error ? kSlaveError : 0);
  if (!reads_) return;
  for (int i = 0; i < bus_bytes_; ++i) {
    ports.set_byte(name_ + "_rdata_i", i, to_.read.data[static_cast<std::size_t>(i)]);
  }
}

AxiFromDevice AxiPort::signals_of(const cosim::KernelPorts& ports) const {
  const auto get = [&](const char* port) {
    return static_cast<std::uint64_t>(ports.get(name_ + port));
  };
  AxiFromDevice from;
  from.read_request = {.address = get("_araddr_o"),
                       .beats_less_one = static_cast<std::uint8_t>(get("_arlen_o")),
                       .id = 0,
                       .valid = get("_arvalid_o") != 0};
  from.write_request = {.address = get("_awaddr_o"),
                        .beats_less_one = static_cast<std::uint8_t>(get("_awlen_o")),
                        .id = 0,
                        .valid = get("_awvalid_o") != 0};
  from.read_ready = get("_rready_o") != 0;
  from.response_ready = get("_bready_o") != 0;
  from.write.valid = get("_wvalid_o") != 0;
  if (!from.write.valid) return from;
  from.write.last = get("_wlast_o") != 0;
  for (int i = 0; i < bus_bytes_; ++i) {
    const auto at = static_cast<std::size_t>(i);
    from.write.data[at] = ports.get_byte(name_ + "_wdata_o", i);
    const std::uint64_t strobe = ports.get_byte(name_ + "_wstrb_o", i / 8) >> (i % 8) & 1;
    from.write.strobe[at / 64] |= strobe << (i % 64);
  }
  return from;
}

void AxiPort::transfer(const cosim::KernelPorts& ports) {
  const AxiFromDevice from = signals_of(ports);
  monitor_.check(from, to_);
  for (const MemoryRequest* request : {&from.read_request, &from.write_request}) {
    if (request->valid) longest_burst_ = std::max(longest_burst_, request->beats_less_one + 1);
  }
  memory_.tick(from, to_);
}

}  // namespace systole::sim
