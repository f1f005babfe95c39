// The board's RTL beside its C++, and products on it through the backend.
#include <catch2/catch.hpp>
#include <chrono>
#include <string>
#include <tuple>
#include <vector>

#include "host/board/board_backend.h"
#include "host/device/device.h"
#include "sim/board/board_clock.h"
#include "sim/board/board_server.h"
#include "sim/board/verilated_board.h"
#include "tests/host/product_case.h"

namespace systole::tests {
namespace {

constexpr LinkPatience kPatient{.silence = std::chrono::seconds(30), .attempts = 2};

const bool kRegistered = [] {
  DeviceInfo info;
  info.name = "patient";
  register_backend({.info = info,
                    .array_sizes = {},
                    .place = "PORT",
                    .make_at = [](const DeviceOptions& options, const std::string& path) {
                      return open_board(options, path, 3'000'000, kPatient);
                    }});
  return true;
}();

/// Both boards on the same inputs; throws at the first clock in which a pin differs.
class LockstepBoard final : public sim::ClockedBoard {
 public:
  void clock(const sim::ToBoard& to, sim::FromBoard& from) override {
    rtl_->clock(to, from);
    sim::FromBoard other;
    native_->clock(to, other);
    ++clock_;
    const auto pins = [](const sim::FromBoard& board) {
      const auto& sdram = board.sdram;
      const bool moves = sdram.command != 7;
      return std::tuple(board.line, board.busy, board.faulted, board.interrupt, sdram.command,
                        sdram.drives, moves ? sdram.bank : 0, moves ? sdram.address : 0,
                        moves ? sdram.mask : 0, sdram.drives ? sdram.data : 0);
    };
    if (pins(from) != pins(other)) {
      throw std::runtime_error("RTL and C++ differ in clock " + std::to_string(clock_));
    }
  }

 private:
  std::unique_ptr<sim::ClockedBoard> rtl_ = sim::make_verilated_board();
  std::unique_ptr<sim::ClockedBoard> native_ = sim::make_native_board();
  std::uint64_t clock_ = 0;
};

}  // namespace

TEST_CASE("the board's RTL shows its C++'s pins in every clock, and the oracle's bits", "[board]") {
  sim::BoardServer server(
      std::make_unique<sim::SimulatedBoard>(std::make_unique<LockstepBoard>(), sim::kBoardMhz));
  const Device device = Device::open("patient:" + server.path());
  std::uint64_t seed = 0;
  for (const auto& [rows, depth, cols, type] :
       {std::tuple{5, 9, 7, DataType::kBf16}, {13, 8, 6, DataType::kInt8}}) {
    Product shape;
    shape.rows = rows;
    shape.depth = depth;
    shape.cols = cols;
    shape.type = type;
    const ProductCase product = make_case(shape, ++seed);
    INFO(product.text());
    std::vector<std::byte> result;
    try {
      result = run_case(product, device);
    } catch (const DeviceError&) {
      server.check();
      throw;
    }
    REQUIRE(result == reference_case(product, 4));
  }
  server.check();
}

}  // namespace systole::tests
