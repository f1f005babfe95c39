#include "tests/board/fault_campaign.h"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "host/board/board_backend.h"
#include "host/device/device.h"
#include "sim/board/board_clock.h"
#include "sim/board/board_server.h"
#include "tests/host/product_case.h"
#include "tests/support/random.h"

namespace systole::tests {
namespace {

using std::chrono::milliseconds;

constexpr int kProducts = 12;  // of a board before it is unplugged

/// The device `faulty:PORT`: the board backend with a patience for faults by the hundred.
const bool kRegistered = [] {
  DeviceInfo info;
  info.name = "faulty";
  register_backend({.info = info,
                    .array_sizes = {},
                    .place = "PORT",
                    .make_at = [](const DeviceOptions& options, const std::string& path) {
                      return open_board(options, path, 1'000'000,
                                        {.silence = milliseconds(300), .attempts = 8});
                    }});
  return true;
}();

ProductCase random_product(Random& random) {
  Product shape;
  shape.rows = random.between(1, 12);
  shape.depth = random.between(1, 24);
  shape.cols = random.between(1, 12);
  shape.type = random.below(2) == 0 ? DataType::kBf16 : DataType::kInt8;
  shape.transpose_a = random.below(2) == 0;
  shape.transpose_b = random.below(2) == 0;
  return make_case(shape, random.bits());
}

}  // namespace

FaultTally run_fault_campaign(std::uint64_t seed, std::uint64_t faults,
                              const std::function<std::unique_ptr<sim::ClockedBoard>()>& make) {
  Random random(seed);
  FaultTally tally;
  while (tally.faults < faults) {
    sim::BoardServer server(std::make_unique<sim::SimulatedBoard>(make(), sim::kBoardMhz),
                            {.fault_every = 500 + random.below(3000), .seed = random.bits()});
    std::optional<Device> device;
    std::thread puller;
    for (int i = 0; i < kProducts; ++i) {
      const ProductCase product = random_product(random);
      if (i == kProducts - 1) {
        const milliseconds delay(random.below(30));
        puller = std::thread([&server, delay] {
          std::this_thread::sleep_for(delay);
          server.unplug();
        });
      }
      try {
        if (!device) device = Device::open("faulty:" + server.path());
        const bool right = run_case(product, *device) == reference_case(product, 4);
        ++(right ? tally.products : tally.wrong);
      } catch (const DeviceError&) {
        ++tally.reported;
        device.reset();  // the next product opens the board again
      }
    }
    puller.join();
    ++tally.unplugged;
    server.check();
    tally.faults += server.faults();
    tally.clocks += server.clocks();
  }
  return tally;
}

}  // namespace systole::tests
