#include "tests/systemc/product_run.h"

#include <span>

#include "host/runtime/program_builder.h"
#include "systole/cosim/random.h"

namespace systole::tests {

using device::Register;

namespace {

constexpr int kRingLog2 = 10;

void set_address(sim::DevicePort& port, Register low, Register high, std::uint64_t address) {
  port.write_register(low, static_cast<std::uint32_t>(address));
  port.write_register(high, static_cast<std::uint32_t>(address >> 32));
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
  ring = memory.allocate(std::int64_t{16} << kRingLog2);
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
  set_address(port, Register::kRingBaseLow, Register::kRingBaseHigh, which.ring);
  set_address(port, Register::kWindowBaseLow, Register::kWindowBaseHigh, which.ring);
  set_address(port, Register::kWindowEndLow, Register::kWindowEndHigh, window_end);
  port.write_register(Register::kWindowAccess, 3);
  port.write_register(Register::kRingLog2, kRingLog2);
  port.write_register(Register::kInterruptEnable, device::kDone | device::kFault);
  port.write_register(Register::kRingTail, static_cast<std::uint32_t>(commands.size()));
  port.wait_for_interrupt();
  ProductOutcome outcome{.fault = port.read_register(Register::kFaultCode)};
  // Without a fault there is no address, and what the register shows is not defined.
  if (outcome.fault != 0) outcome.fault_address = port.read_register(Register::kFaultAddressLow);
  outcome.counters = port.read_counters();
  outcome.clocks = port.clocks();
  return outcome;
}

}  // namespace systole::tests
