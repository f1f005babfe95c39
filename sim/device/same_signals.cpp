#include "sim/device/same_signals.h"

#include <fmt/format.h>

#include <string_view>

namespace systole::sim {
namespace {

class Comparison {
 public:
  Comparison(std::uint64_t clock, const ComparedNames& names) : clock_(clock), names_(names) {}

  void same(std::string_view signal, std::uint64_t first, std::uint64_t second) const {
    if (first == second) return;
    throw LockstepError(fmt::format("clock {}: {} is {:#x} in {} and {:#x} in {}", clock_, signal,
                                    first, names_.first, second, names_.second));
  }

  void request(std::string_view name, const MemoryRequest& a, const MemoryRequest& b) const {
    same(name, a.valid, b.valid);
    if (!a.valid) return;
    same(name, a.address, b.address);
    same(name, a.beats_less_one, b.beats_less_one);
    same(name, a.id, b.id);
  }

  void axi(const AxiFromDevice& a, const AxiFromDevice& b, int bus_bytes) const {
    request("read_request", a.read_request, b.read_request);
    request("write_request", a.write_request, b.write_request);
    same("read_ready", a.read_ready, b.read_ready);
    same("response_ready", a.response_ready, b.response_ready);
    same("write.valid", a.write.valid, b.write.valid);
    if (!a.write.valid) return;
    same("write.last", a.write.last, b.write.last);
    for (int i = 0; i < bus_bytes; i += 64) {
      same("write.strobe", a.write.strobe[i / 64], b.write.strobe[i / 64]);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(bus_bytes); ++i) {
      if (a.write.strobe[i / 64] >> (i % 64) & 1) {
        same("write.data", a.write.data[i], b.write.data[i]);
      }
    }
  }

  void lite(const LiteFromDevice& a, const LiteFromDevice& b) const {
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

  void link(std::string_view name, const LinkFromDevice& a, const LinkFromDevice& b,
            std::size_t lanes) const {
    same(name, a.in_ready, b.in_ready);
    same(name, a.out.valid, b.out.valid);
    if (!a.out.valid) return;
    same(name, a.out.last, b.out.last);
    for (std::size_t i = 0; i < lanes; ++i) {
      same(name, a.out.lanes[i], b.out.lanes[i]);
    }
  }

 private:
  std::uint64_t clock_;
  ComparedNames names_;
};

}  // namespace

void require_same(std::uint64_t clock, const FromDevice& first, const FromDevice& second,
                  int bus_bytes, const ComparedNames& names) {
  const Comparison comparison(clock, names);
  comparison.axi(first.axi, second.axi, bus_bytes);
  comparison.lite(first.lite, second.lite);
  comparison.same("interrupt", first.interrupt, second.interrupt);
  // Lanes that the device does not have are 0.
  comparison.link("up", first.up, second.up, kMaxLinkLanes);
  comparison.link("down", first.down, second.down, kMaxLinkLanes);
}

}  // namespace systole::sim
