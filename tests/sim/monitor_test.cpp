// The monitors detect every breach of the protocol: a correct exchange passes, and the same
// exchange with one error is stopped with a message that names it.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "sim/monitor/axi_monitor.h"
#include "sim/monitor/lite_monitor.h"

namespace systole {
namespace {

using namespace sim;

/// A read of two beats and an unaligned write of two beats on a bus of 8, clock by clock.
std::vector<std::pair<AxiFromDevice, AxiToDevice>> correct_exchange() {
  std::vector<std::pair<AxiFromDevice, AxiToDevice>> clocks(8);
  const auto request = [](std::uint64_t address) {
    return MemoryRequest{.address = address, .beats_less_one = 1, .id = 0, .valid = true};
  };
  for (const std::size_t t : {0, 1}) {
    clocks[t].first.read_request = request(0x1000);
    clocks[t].first.write_request = request(0x1ff3 - 0x10);
    clocks[t].first.write = {.valid = true, .strobe = {0xf8, 0}};
  }
  clocks[1].second.read_request_ready = clocks[1].second.write_request_ready = true;
  for (const std::size_t t : {2, 3}) clocks[t].first.write = clocks[0].first.write;
  clocks[3].second.write_ready = clocks[4].second.write_ready = true;
  clocks[4].first.write = {.valid = true, .last = true, .strobe = {0x7f, 0}};
  for (const std::size_t t : {3, 4, 5}) clocks[t].second.read.valid = true;
  clocks[4].first.read_ready = clocks[5].first.read_ready = true;
  clocks[5].second.read.last = true;
  clocks[6].second.response.valid = clocks[7].second.response.valid = true;
  clocks[7].first.response_ready = true;
  return clocks;
}

using Exchange = std::vector<std::pair<AxiFromDevice, AxiToDevice>>;

std::string verdict(const std::function<void(Exchange&)>& change) {
  Exchange clocks = correct_exchange();
  change(clocks);
  AxiMonitor monitor(8);
  try {
    for (const auto& [from, to] : clocks) monitor.check(from, to);
    monitor.finish();
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a correct exchange on AXI4 passes", "[monitor]") {
  CHECK(verdict([](Exchange&) {}).empty());
}

TEST_CASE("each breach of AXI4 is named", "[monitor]") {
  using Catch::Contains;
  CHECK_THAT(verdict([](Exchange& x) { x[1].first.read_request.valid = false; }),
             Contains("AR, clock 1: valid fell"));
  CHECK_THAT(verdict([](Exchange& x) { x[1].first.read_request.address += 8; }),
             Contains("AR, clock 1: the payload changed"));
  CHECK_THAT(verdict([](Exchange& x) { x[1].first.write_request.beats_less_one = 0; }),
             Contains("AW, clock 1: the payload changed"));
  CHECK_THAT(verdict([](Exchange& x) { x[2].first.write.data[5] = 1; }),
             Contains("W, clock 2: the payload changed"));
  CHECK(verdict([](Exchange& x) { x[2].first.write.data[0] = 1; }).empty());  // has no strobe
  CHECK_THAT(verdict([](Exchange& x) { x[2].first.write.valid = false; }),
             Contains("W, clock 2: valid fell"));
  CHECK_THAT(verdict([](Exchange& x) { x[4].second.read.data[7] = 1; }),
             Contains("R, clock 4: the payload changed"));
  CHECK_THAT(verdict([](Exchange& x) { x[7].second.response.error = true; }),
             Contains("B, clock 7: the payload changed"));
  CHECK_THAT(verdict([](Exchange& x) {
               x[0].first.read_request.address = x[1].first.read_request.address = 0x1ffc;
             }),
             Contains("2 beats from 0x1ffc cross 4 KiB"));
  CHECK_THAT(verdict([](Exchange& x) {
               x[0].first.write_request.address = x[1].first.write_request.address = 1ull << 40;
             }),
             Contains("more than 40 bits"));
  CHECK_THAT(verdict([](Exchange& x) {
               x[0].first.write_request.beats_less_one = x[1].first.write_request.beats_less_one =
                   16;
             }),
             Contains("a burst of 17 beats"));
  CHECK_THAT(
      verdict([](Exchange& x) { x[0].first.read_request.id = x[1].first.read_request.id = 3; }),
      Contains("id 3"));
  CHECK_THAT(verdict([](Exchange& x) { x[4].first.write.last = false; }),
             Contains("W, clock 4: last is clear in beat 2 of 2"));
  CHECK_THAT(verdict([](Exchange& x) {
               for (const std::size_t t : {0, 1, 2, 3}) x[t].first.write.strobe[0] = 0xfc;
             }),
             Contains("a strobe before the burst's address"));
  CHECK_THAT(
      verdict([](Exchange& x) { x[1].second.write_ready = true, x[0].second.write_ready = true; }),
      Contains("W, clock 0: a beat that no AW announced"));
  CHECK_THAT(verdict([](Exchange& x) { x[5].second.read.last = false; }),
             Contains("R, clock 5: last is clear"));
  CHECK_THAT(verdict([](Exchange& x) { x[3].second.read.last = x[4].second.read.last = true; }),
             Contains("last is set, 1 beats are owed"));
  CHECK_THAT(verdict([](Exchange& x) {
               for (const std::size_t t : {3, 4, 5}) x[t].second.read.id = 1;
             }),
             Contains("R, clock 3: a beat that nobody asked for"));
  CHECK_THAT(verdict([](Exchange& x) { x[3].second.response.valid = true; }),
             Contains("B, clock 3: a response to no write"));
  CHECK_THAT(verdict([](Exchange& x) { x[6].second.read.valid = true; }),
             Contains("R, clock 6: a beat that nobody asked for"));
  CHECK_THAT(verdict([](Exchange& x) { x.pop_back(); }), Contains("a response is still owed"));
  CHECK_THAT(verdict([](Exchange& x) { x.resize(5); }), Contains("R, clock 5: data is still owed"));
}

namespace {

using LiteExchange = std::vector<std::pair<LiteFromDevice, LiteToDevice>>;

/// A write whose data comes before its address, and a read.
LiteExchange correct_lite_exchange() {
  LiteExchange clocks(5);
  clocks[0].second.write_data_valid = clocks[0].first.write_data_ready = true;
  for (const std::size_t t : {0, 1}) {
    clocks[t].second.write_address_valid = true;
    clocks[t].second.write_address = 0x38;
  }
  clocks[1].first.write_address_ready = true;
  for (const std::size_t t : {2, 3}) clocks[t].first.write_response_valid = true;
  clocks[3].second.write_response_ready = true;
  clocks[2].second.read_address_valid = clocks[2].first.read_address_ready = true;
  for (const std::size_t t : {3, 4}) {
    clocks[t].first.read_data_valid = true;
    clocks[t].first.read_data = 7;
    clocks[t].first.read_response = 2;
  }
  clocks[4].second.read_data_ready = true;
  return clocks;
}

std::string lite_verdict(const std::function<void(LiteExchange&)>& change) {
  LiteExchange clocks = correct_lite_exchange();
  change(clocks);
  LiteMonitor monitor;
  try {
    for (const auto& [from, to] : clocks) monitor.check(from, to);
  } catch (const ProtocolError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a correct exchange on AXI4-Lite passes", "[monitor]") {
  CHECK(lite_verdict([](LiteExchange&) {}).empty());
}

TEST_CASE("each breach of AXI4-Lite is named", "[monitor]") {
  using Catch::Contains;
  CHECK_THAT(lite_verdict([](LiteExchange& x) { x[1].second.write_address = 0x3c; }),
             Contains("register AW, clock 1: the payload changed"));
  CHECK_THAT(lite_verdict([](LiteExchange& x) { x[1].first.write_response_valid = true; }),
             Contains("register B, clock 1: a response to no write"));
  CHECK_THAT(lite_verdict([](LiteExchange& x) { x[3].first.write_response_valid = false; }),
             Contains("register B, clock 3: valid fell"));
  CHECK_THAT(lite_verdict([](LiteExchange& x) {
               x[2].first.write_response = x[3].first.write_response = 1;
             }),
             Contains("neither OKAY nor SLVERR"));
  CHECK_THAT(lite_verdict([](LiteExchange& x) { x[4].first.read_data = 8; }),
             Contains("register R, clock 4: the payload changed"));
  CHECK_THAT(lite_verdict([](LiteExchange& x) { x[2].first.read_data_valid = true; }),
             Contains("register R, clock 2: data that nobody asked for"));
}

}  // namespace systole
