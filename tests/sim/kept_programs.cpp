#include "tests/sim/kept_programs.h"

#include "host/compiler/schedule/program_builder.h"
#include "systole/cosim/random.h"

namespace systole::tests {
namespace {

std::vector<std::byte> random_bytes(std::int64_t count) {
  cosim::Random random(1);
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.between(0, 63));
  return bytes;
}

}  // namespace

sim::KeptProgram kept_product(int array_size, std::int64_t rows, std::int64_t depth,
                              std::int64_t cols) {
  constexpr std::uint64_t kRing = 0x10000, kA = 0x100000, kB = 0x200000, kC = 0x300000;
  const Product product{.a = kA, .b = kB, .c = kC, .rows = rows, .depth = depth, .cols = cols};
  return {.commands = build_program({&product, 1}, {.array_size = array_size}),
          .ring = kRing,
          .base = kA,
          .end = 0x400000,
          .memory = {{kA, random_bytes(2 * rows * depth)}, {kB, random_bytes(2 * depth * cols)}}};
}

sim::KeptProgram kept_fault() {
  sim::KeptProgram program = kept_product(4, 4, 4, 4);
  program.commands.resize(2);
  program.commands[1] = {.low = 0xff, .high = 0};
  return program;
}

}  // namespace systole::tests
