// The model's clocks of a program are those of the clocked device, counted once for each program.
#include "sim/model/model_device.h"

#include <catch2/catch.hpp>
#include <memory>
#include <utility>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/accelerator_backend.h"
#include "host/device/device.h"
#include "host/device/register_driver.h"
#include "sim/device/control_devices.h"
#include "systole/cosim/random.h"
#include "tests/host/cache_folder.h"
#include "tests/host/placed_products.h"

namespace systole {
namespace {

std::unique_ptr<ProgramDevice> clocked(int size, const std::shared_ptr<DeviceMemory>& memory,
                                       const sim::MemoryBehaviour& behaviour = {}) {
  return std::make_unique<RegisterDriver>(
      memory, sim::make_control_device(size, *memory, behaviour, {.monitors = false}));
}

/// A device that knows its sizes and refuses programs.
class Refuses final : public ProgramDevice {
 public:
  explicit Refuses(std::unique_ptr<ProgramDevice> device) : device_(std::move(device)) {}
  const DeviceSizes& sizes() const override { return device_->sizes(); }
  ProgramResult run(const PlacedProgram&) override { throw DeviceError("timed again"); }
  Memory& memory() override { return device_->memory(); }

 private:
  std::unique_ptr<ProgramDevice> device_;
};

/// A device that counts the programs it runs.
class Counts final : public ProgramDevice {
 public:
  Counts(std::unique_ptr<ProgramDevice> device, int& runs)
      : device_(std::move(device)), runs_(runs) {}
  const DeviceSizes& sizes() const override { return device_->sizes(); }
  ProgramResult run(const PlacedProgram& program) override {
    ++runs_;
    return device_->run(program);
  }
  Memory& memory() override { return device_->memory(); }

 private:
  std::unique_ptr<ProgramDevice> device_;
  int& runs_;
};

/// A product in memory, `shift` bytes after a page's start, and its program.
struct Placed {
  std::vector<device::CommandWord> commands;
  PlacedProgram program;
};
Placed place(int size, DeviceMemory& memory, std::int64_t shift, Product product) {
  constexpr std::int64_t kRoom = 1 << 20;
  const std::uint64_t block = memory.allocate(4 * kRoom + 8192);
  const std::uint64_t base = (block + 4095) / 4096 * 4096 + static_cast<std::uint64_t>(shift);
  product.a = base;
  product.b = base + kRoom;
  product.c = base + 2 * kRoom;
  Placed placed;
  placed.commands = build_program({&product, 1}, {.array_size = size});
  const std::uint64_t ring =
      memory.allocate(static_cast<std::int64_t>(placed.commands.size() * 16 + 8192)) / 4096 * 4096 +
      4096;
  memory.write(ring, std::as_bytes(std::span(placed.commands)));
  placed.program = {
      .commands = placed.commands, .ring = ring, .base = base, .end = base + 4 * kRoom};
  return placed;
}

Product random_product(cosim::Random& random) {
  return {.rows = random.between(1, 150),
          .depth = random.between(1, 150),
          .cols = random.between(1, 150),
          .type = random.between(0, 1) == 0 ? DataType::kBf16 : DataType::kInt8,
          .transpose_a = random.between(0, 1) == 0,
          .transpose_b = random.between(0, 1) == 0};
}

}  // namespace

TEST_CASE("a program moved by whole pages has the same clocks and is recognised",
          "[model_device]") {
  const int size = GENERATE(4, 8, 16, 32, 64, 128);
  const auto memory = std::make_shared<DeviceMemory>();
  ProgramClocks clocks{DiskCache({})};
  ModelDevice model(size, 1, memory, clocked(size, memory), {}, clocks);
  cosim::Random random(static_cast<std::uint64_t>(size));
  for (std::size_t known = 1; known <= 4; ++known) {
    const Product product = random_product(random);
    const std::int64_t inside = 16 * random.between(0, 255);
    const auto first = place(size, *memory, inside, product);
    const ProgramResult expected = clocked(size, memory)->run(first.program);
    REQUIRE(expected.fault == device::FaultCode::kNone);
    CHECK(model.run(first.program).counts == expected.counts);
    CHECK(model.known_programs() == known);
    for (const int pages : {1, 2, 37}) {
      const auto further = place(size, *memory, inside + 4096 * pages, product);
      CHECK(clocked(size, memory)->run(further.program).counts == expected.counts);
      CHECK(model.run(further.program).counts == expected.counts);
      CHECK(model.known_programs() == known);
    }
  }
}

TEST_CASE("a program is one wherever its commands lie", "[model_device]") {
  const int size = GENERATE(4, 16);
  const auto memory = std::make_shared<DeviceMemory>();
  ProgramClocks clocks{DiskCache({})};
  ModelDevice model(size, 1, memory, clocked(size, memory), {}, clocks);
  auto placed = place(size, *memory, 0, {.rows = 40, .depth = 33, .cols = 20});
  const ProgramResult expected = model.run(placed.program);
  const auto bytes = static_cast<std::int64_t>(placed.commands.size() * 16);
  const std::uint64_t block = memory->allocate(bytes + 8192);
  for (const std::uint64_t offset : {0, 16, 48, 2048, 4080}) {
    placed.program.ring = block + offset;
    memory->write(placed.program.ring, std::as_bytes(std::span(placed.commands)));
    CHECK(clocked(size, memory)->run(placed.program).counts == expected.counts);
    CHECK(model.run(placed.program).counts == expected.counts);
  }
  CHECK(model.known_programs() == 1);
}

TEST_CASE("a step whose programs are not all kept simulates nothing the second time",
          "[model_device]") {
  const auto memory = std::make_shared<DeviceMemory>();
  int simulated = 0;
  ProgramClocks clocks{DiskCache({})};
  auto model = std::make_unique<ModelDevice>(
      8, 1, memory, std::make_unique<Counts>(clocked(8, memory), simulated), sim::MemoryBehaviour{},
      clocks);
  constexpr int kPrograms = 12;
  // Each step builds all programs again, beside other blocks.
  AcceleratorBackend backend({.name = "model"}, std::move(model));
  std::vector<std::uint64_t> rings;
  backend.watch_programs(
      [&](const PlacedProgram& program, Memory&) { rings.push_back(program.ring % 4096); });
  cosim::Random random(3);
  std::vector<Product> products;
  for (int i = 0; i < kPrograms; ++i) {
    Product product = random_product(random);
    product.transpose_a = product.transpose_b = false;
    product.a = memory->allocate(2 * product.rows * product.depth);
    product.b = memory->allocate(2 * product.depth * product.cols);
    product.c = memory->allocate(4 * product.rows * product.cols);
    products.push_back(product);
  }
  const auto step = [&] {
    for (const Product& product : products) {
      memory->allocate(64);
      tests::run_products(backend, {product});
    }
    return std::exchange(rings, {});
  };
  const auto first = step();
  CHECK(simulated == kPrograms);
  bool moved = false;
  for (int i = 0; i < 4; ++i) moved |= step() != first;
  CHECK(moved);
  CHECK(simulated == kPrograms);
}

TEST_CASE("a program timed by one process is not timed by the next", "[model_device]") {
  const tests::CacheFolder folder;
  const Product product{.rows = 40, .depth = 33, .cols = 20};
  const auto run = [&](int size, bool refuses, const sim::MemoryBehaviour& behaviour) {
    const auto memory = std::make_shared<DeviceMemory>();
    auto device = clocked(size, memory, behaviour);
    if (refuses) device = std::make_unique<Refuses>(std::move(device));
    ProgramClocks clocks{DiskCache(folder.path())};
    ModelDevice model(size, 1, memory, std::move(device), behaviour, clocks);
    return model.run(place(size, *memory, 0, product).program);
  };
  const ProgramResult first = run(8, false, {});
  CHECK(run(8, true, {}).counts == first.counts);
  // The same commands on another array or memory are timed.
  CHECK_THROWS_WITH(run(8, true, {.latency = 65}), "timed again");
  CHECK_THROWS_WITH(run(8, true, {.bytes_per_cycle = 4}), "timed again");
  CHECK_THROWS_WITH(run(8, true, {.bus_bytes = 32}), "timed again");
  CHECK_THROWS_WITH(run(16, true, {}), "timed again");
  CHECK(run(8, false, {.latency = 65}).counts != first.counts);
}

TEST_CASE("a program at another offset in its pages is a different program", "[model_device]") {
  const auto memory = std::make_shared<DeviceMemory>();
  ProgramClocks clocks{DiskCache({})};
  ModelDevice model(8, 1, memory, clocked(8, memory), {}, clocks);
  const Product product{.rows = 40, .depth = 33, .cols = 20};
  for (const int shift : {0, 4, 8, 4096 - 64}) {
    const auto placed = place(8, *memory, shift, product);
    CHECK(model.run(placed.program).counts == clocked(8, memory)->run(placed.program).counts);
  }
  CHECK(model.known_programs() == 4);
}

TEST_CASE("a known program whose window is too small fails as on the device", "[model_device]") {
  const auto memory = std::make_shared<DeviceMemory>();
  ProgramClocks clocks{DiskCache({})};
  ModelDevice model(8, 1, memory, clocked(8, memory), {}, clocks);
  auto placed = place(8, *memory, 0, {.rows = 40, .depth = 33, .cols = 20});
  REQUIRE(model.run(placed.program).fault == device::FaultCode::kNone);
  placed.program.end = placed.program.base + 64;
  const ProgramResult expected = clocked(8, memory)->run(placed.program);
  const ProgramResult result = model.run(placed.program);
  CHECK(result.fault == device::FaultCode::kReadWindow);
  CHECK(result.fault == expected.fault);
  CHECK(result.command == expected.command);
  CHECK(result.address == expected.address);
}

TEST_CASE("programs with numbers have the clocks and bits of programs without", "[model_device]") {
  const auto memory = std::make_shared<DeviceMemory>();
  ProgramClocks clocks{DiskCache({})};
  ModelDevice numbered(8, 1, memory, clocked(8, memory), {}, clocks);
  ModelDevice plain(8, 1, memory, clocked(8, memory), {}, clocks);
  cosim::Random random(8);
  for (int i = 0; i < 3; ++i) {
    const Product product = random_product(random);
    auto placed = place(8, *memory, 0, product);
    const auto bytes = [&] {
      std::vector<std::byte> all(placed.program.end - placed.program.base);
      memory->read(placed.program.base, all);
      return all;
    };
    const ProgramResult expected = plain.run(placed.program);
    const auto result = bytes();
    placed.program.number = new_program_number();
    for (int run = 0; run < 4; ++run) {
      CHECK(numbered.run(placed.program).counts == expected.counts);
      const bool same = bytes() == result;
      CHECK(same);
    }
  }
}

}  // namespace systole
