#include "tests/systemc/product_run.h"

#include <memory>
#include <span>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/register_driver.h"
#include "systole/cosim/random.h"

namespace systole::tests {

namespace {

constexpr std::int64_t kMostCommands = 1024;

/// A shared_ptr to an object that another one owns.
template <typename T>
std::shared_ptr<T> borrow(T& owned) {
  return {std::shared_ptr<void>(), &owned};
}

}  // namespace

ProductCase::ProductCase(std::int64_t rows, std::int64_t depth, std::int64_t cols,
                         std::uint64_t seed) {
  cosim::Random random(seed);
  const auto operand = [&](std::int64_t elements) {
    const std::uint64_t address = memory.allocate(2 * elements);
    // Signs, exponents near 1 and fractions.
    for (auto& word : memory.elements<std::uint16_t>(address, elements)) {
      word = static_cast<std::uint16_t>((random.bits() & 0x81ff) | 0x3e00);
    }
    return address;
  };
  ring = memory.allocate(16 * kMostCommands);
  product = {.a = operand(rows * depth),
             .b = operand(depth * cols),
             .c = memory.allocate(4 * rows * cols),
             .rows = rows,
             .depth = depth,
             .cols = cols};
  end = product.c + static_cast<std::uint64_t>(4 * rows * cols);
}

std::vector<std::uint32_t> ProductCase::result() {
  const auto words = memory.elements<std::uint32_t>(product.c, product.rows * product.cols);
  return {words.begin(), words.end()};
}

ProductOutcome run_product(ProductCase& which, sim::DevicePort& port, int array_size,
                           std::uint64_t window_end) {
  const auto commands = build_program(std::span(&which.product, 1), {.array_size = array_size});
  which.memory.write(which.ring, std::as_bytes(std::span(commands)));
  RegisterDriver driver(borrow(which.memory), borrow(port));
  const ProgramResult done = driver.run(
      {.commands = commands, .ring = which.ring, .base = which.product.a, .end = window_end});
  return {.fault = done.fault,
          .fault_address = done.address,
          .counters = done.counts,
          .clocks = port.clocks()};
}

}  // namespace systole::tests
