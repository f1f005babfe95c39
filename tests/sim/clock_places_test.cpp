// Programs at random places: those that ClockPlaces takes for one have the same counters.
#include "sim/model/clock_places.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/command_address.h"
#include "host/device/register_driver.h"
#include "sim/device/control_devices.h"
#include "sim/verify/program_run.h"
#include "sim/verify/verify_case.h"
#include "systole/cosim/random.h"
#include "tests/sim/adam_on_device.h"

namespace systole {
namespace {

using cosim::Random;
using device::CommandWord;

constexpr std::uint64_t kPage = 4096;

std::vector<CommandWord> reduced(const std::vector<CommandWord>& commands, int size, int bus) {
  ClockPlaces places(size, bus);
  std::vector<CommandWord> all;
  for (const CommandWord& command : commands) all.push_back(places.reduced(command));
  return all;
}

/// The case with its memory `distance` bytes further and its ring elsewhere.
verify::Case moved(verify::Case which, std::uint64_t distance, std::uint64_t ring_offset) {
  const auto further = [&](std::uint64_t address) { return address + distance; };
  which.first_address += distance;
  which.ring_offset = ring_offset;
  verify::Layout& layout = which.layout;
  for (verify::Block* block :
       {&layout.inputs, &layout.outputs, &layout.closed, &layout.trap, &layout.ring}) {
    block->base += distance;
  }
  for (sim::ErrorRange& range : which.behaviour.error_ranges) {
    range.base += distance;
    range.end += distance;
  }
  for (verify::Program& program : which.programs) {
    for (CommandWord& command : program.commands) command = with_address(command, further);
    for (verify::Placed& placed : program.placed) placed.address += distance;
  }
  return which;
}

std::array<std::uint64_t, device::kCounters> counters_of(const verify::Case& which) {
  DeviceMemory memory = verify::make_memory(which);
  const auto port = sim::make_control_device(which.array_size, memory, which.behaviour,
                                             {.lite_seed = which.harness.lite_seed});
  return verify::run_program(which, which.programs.front(), *port, memory).counters;
}

/// A product, ragged or not, sometimes of patches.
Product random_product(Random& random, int size) {
  const auto extent = [&](int most) -> std::int64_t {
    return random.below(2) == 0 ? size * random.between(1, most / size + 1)
                                : random.between(1, most);
  };
  Product product{.rows = extent(60),
                  .depth = extent(60),
                  .cols = extent(60),
                  .type = random.below(2) == 0 ? DataType::kBf16 : DataType::kInt8,
                  .transpose_b = random.below(2) == 0,
                  .relu = random.below(2) == 0};
  if (random.below(2) == 0) product.format = device::StoreFormat::kBf16;
  if (product.type == DataType::kInt8) product.format = device::StoreFormat::kWord32;
  if (random.below(3) != 0) return product;
  const auto channels = static_cast<std::uint16_t>(extent(20));
  const auto side = static_cast<std::uint16_t>(random.between(3, 7));
  product.type = DataType::kBf16;
  product.patches =
      device::encode(device::LoadPatches{.height = side,
                                         .width = side,
                                         .pixel_bytes = static_cast<std::uint16_t>(2 * channels),
                                         .out_height = side,
                                         .out_width = side,
                                         .kernel_height = 3,
                                         .kernel_width = 3,
                                         .stride = 1,
                                         .pad_top = 1,
                                         .pad_left = 1});
  product.rows = side * side * random.between(1, 2);
  product.depth = 9 * channels;
  return product;
}

/// What a product's places are multiples of: those of A and B, and that of C.
struct Grid {
  std::uint64_t operands, result;
};

/// A product's program in a memory of its own, all of it at random places.
struct PlacedProduct {
  std::shared_ptr<DeviceMemory> memory = std::make_shared<DeviceMemory>();
  std::vector<CommandWord> commands;
  PlacedProgram program;
};
PlacedProduct place(Product product, int size, int bus, const Grid& grid, Random& random) {
  constexpr std::uint64_t kRoom = 1 << 18;
  PlacedProduct placed;
  const std::uint64_t base = placed.memory->allocate(4 * kRoom);
  const auto somewhere = [&](std::uint64_t room, std::uint64_t step) {
    return base + room * kRoom + step * random.below(static_cast<std::uint32_t>(kRoom / 2 / step));
  };
  product.a = somewhere(0, grid.operands);
  product.b = somewhere(1, grid.operands);
  product.c = somewhere(2, grid.result);
  placed.commands = build_program({&product, 1}, {.array_size = size, .bus_bytes = bus});
  const std::uint64_t ring =
      base + 3 * kRoom + 16 * random.below(static_cast<std::uint32_t>(kRoom / 32));
  placed.memory->write(ring, std::as_bytes(std::span(placed.commands)));
  placed.program = {
      .commands = placed.commands, .ring = ring, .base = base, .end = base + 3 * kRoom};
  return placed;
}

std::array<std::uint64_t, device::kCounters> counters_of(const PlacedProduct& placed, int size,
                                                         const sim::MemoryBehaviour& behaviour) {
  RegisterDriver driver(placed.memory, sim::make_control_device(size, *placed.memory, behaviour,
                                                                {.monitors = false}));
  const ProgramResult result = driver.run(placed.program);
  REQUIRE(result.fault == device::FaultCode::kNone);
  return result.counts;
}

}  // namespace

TEST_CASE("a random program takes the same clocks wherever its ring lies", "[clock_places]") {
  const auto [size, bus] =
      GENERATE(std::pair(4, 4), std::pair(4, 16), std::pair(8, 8), std::pair(16, 16));
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 25; ++seed) {
    const verify::Case which = verify::make_case(seed, size, bus == size ? 0 : bus);
    if (which.programs.front().ending != verify::Ending::kDone) continue;
    INFO("array " << size << ", bus " << bus << ", seed " << seed);
    Random random(seed);
    const auto expected = counters_of(which);
    for (int place = 0; place < 3; ++place) {
      const std::uint64_t offset = 16 * random.below(kPage / 16);
      CHECK(counters_of(moved(which, 0, offset)) == expected);
    }
    ++compared;
  }
}

TEST_CASE("random programs that are moved by pages take the same clocks", "[clock_places]") {
  const auto [size, bus] =
      GENERATE(std::pair(4, 4), std::pair(4, 16), std::pair(8, 8), std::pair(16, 16));
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 25; ++seed) {
    verify::Case which = verify::make_case(seed, size, bus == size ? 0 : bus);
    if (which.programs.front().ending != verify::Ending::kDone) continue;
    INFO("array " << size << ", bus " << bus << ", seed " << seed);
    which = moved(which, 0x10000 - which.first_address, which.ring_offset);
    Random random(seed);
    const auto expected = counters_of(which);
    const verify::Case other =
        moved(which, kPage * random.between(1, 1000), 16 * random.below(kPage / 16));
    CHECK(reduced(other.programs.front().commands, size, bus) ==
          reduced(which.programs.front().commands, size, bus));
    CHECK(counters_of(other) == expected);
    ++compared;
  }
}

TEST_CASE("a program of the vector engine takes the same clocks at any places of its reduction",
          "[clock_places]") {
  const int size = GENERATE(4, 16);
  Random random(static_cast<std::uint64_t>(size));
  int moved_inside = 0;
  std::optional<std::array<std::uint64_t, device::kCounters>> expected;
  std::vector<CommandWord> key;
  for (int place = 0; place < 6; ++place) {
    const auto memory = std::make_shared<DeviceMemory>();
    // Streams lie side by side, all of them a burst further or several.
    memory->allocate(16 * size * random.between(1, 300));
    const tests::AdamOnDevice adam(size, *memory, 1024);
    const PlacedProgram program = adam.placed();
    const std::vector<CommandWord> commands(program.commands.begin(), program.commands.end());
    RegisterDriver driver(memory, sim::make_control_device(size, *memory));
    const ProgramResult result = driver.run(program);
    REQUIRE(result.fault == device::FaultCode::kNone);
    if (!expected) expected = result.counts, key = reduced(commands, size, size);
    if (reduced(commands, size, size) != key) continue;
    CHECK(result.counts == *expected);
    ++moved_inside;
  }
  CHECK(moved_inside == 6);
}

TEST_CASE("products of one reduction take the same clocks at any places", "[clock_places]") {
  const auto [size, bus] = GENERATE(std::pair(4, 4), std::pair(4, 16), std::pair(8, 8),
                                    std::pair(16, 16), std::pair(16, 32), std::pair(64, 64));
  const std::uint64_t burst = std::min<std::uint64_t>(kPage, 16 * static_cast<std::uint64_t>(bus));
  Random random(static_cast<std::uint64_t>(100 * size + bus));
  const auto beat = static_cast<std::uint64_t>(bus);
  int whole = 0, same = 0, differ = 0, slowed = 0;
  for (int i = 0; i < 25; ++i) {
    const Product product = random_product(random, size);
    INFO("array " << size << ", bus " << bus << ", " << describe(product));
    // A memory that takes few bursts at a time lets a store's bursts be what a program waits for.
    const sim::MemoryBehaviour behaviour{.latency = random.between(1, 80),
                                         .bytes_per_cycle = random.below(2) == 0 ? 0 : bus / 2,
                                         .bus_bytes = bus == size ? 0 : bus,
                                         .bursts = random.below(2) == 0 ? 64 : 2};
    const Grid whole_bursts{burst, burst}, anywhere{4, 4}, whole_beats{burst, beat};
    for (const Grid* grid : {&whole_bursts, &anywhere, &whole_beats}) {
      const PlacedProduct first = place(product, size, bus, *grid, random);
      const auto key = reduced(first.commands, size, bus);
      const auto expected = counters_of(first, size, behaviour);
      for (int again = 0; again < 3; ++again) {
        const PlacedProduct other = place(product, size, bus, *grid, random);
        const auto counters = counters_of(other, size, behaviour);
        const bool is_one = reduced(other.commands, size, bus) == key;
        if (is_one) CHECK(counters == expected);
        same += is_one;
        differ += grid == &anywhere && counters != expected;
        slowed += grid == &whole_beats && counters != expected;
        if (grid != &whole_bursts || product.cols % size != 0) continue;
        CHECK(is_one);
        ++whole;
      }
    }
  }
  CHECK(same > 0);
  CHECK(whole > 0);
  CHECK(differ > 0);  // so a place in a burst is no detail
  CHECK(slowed > 0);  // and a row that crosses 4 KiB is none
}

TEST_CASE("a store keeps its place in 4 KiB only where one of its rows may cross them",
          "[clock_places]") {
  const auto address_of = [](std::uint16_t rows, std::uint8_t cols, std::uint32_t stride,
                             std::uint64_t address) {
    ClockPlaces places(16, 16);
    places.reduced(encode(device::StoreShape{.rows = rows, .cols = cols, .row_stride = stride}));
    return device::decode_store(places.reduced(encode(device::Store{.address = address}))).address;
  };
  CHECK(address_of(10, 16, 64, 0x12340) == 0);
  CHECK(address_of(10, 16, 1024, 0x12340) == 0);
  CHECK(address_of(10, 16, 80, 0x12340) == 0x340);
  CHECK(address_of(1, 16, 80, 0x12340) == 0);
  CHECK(address_of(1, 16, 80, 0x12350) == 0x350);
  CHECK(address_of(10, 4, 64, 0x12350) == 0);
  CHECK(address_of(10, 2, 64, 0x12348) == 8);
}

TEST_CASE("a reduction keeps all but addresses, also bits without a meaning", "[clock_places]") {
  Random random(7);
  for (const device::Opcode opcode :
       {device::Opcode::kFence, device::Opcode::kLoad, device::Opcode::kStore,
        device::Opcode::kVectorProgram, device::Opcode::kVectorStream, device::Opcode::kMatmul}) {
    for (int i = 0; i < 100; ++i) {
      const CommandWord command{
          .low = (random.bits() & ~std::uint64_t{0xff}) | static_cast<std::uint64_t>(opcode),
          .high = random.bits()};
      const CommandWord word = ClockPlaces(16, 16).reduced(command);
      CHECK(word.high == command.high);
      CHECK(((word.low ^ command.low) & 0xff00'0000'0000'ffff) == 0);
    }
  }
}

}  // namespace systole
