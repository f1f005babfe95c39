// What the whole accelerator makes of matrix products: cycles, utilisation and where the rest goes,
// with memory of N bytes a clock and 64 clocks of latency; and how fast its simulation is.
//
//   bench_accelerator [--device native|rtl] [--array N] [--latency CLOCKS] [--only NAME]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "host/driver/device_memory.h"
#include "host/driver/register_driver.h"
#include "host/runtime/program_builder.h"
#include "sim/device/native_devices.h"
#include "sim/device/port_device.h"
#include "sim/verilator/verilated_devices.h"
#include "systole/cosim/random.h"

namespace systole {
namespace {

using device::Count;

struct Options {
  std::string device = "native";
  int array_size = 16;
  int latency = 64;
  std::string only;
};

/// Products with operands of random bf16 or int8 in a memory of their own.
struct Workload {
  std::string name;
  std::vector<ProgramProduct> products;
  std::shared_ptr<DeviceMemory> memory = std::make_shared<DeviceMemory>();
  std::uint64_t first = ~0ull, last = 0;

  std::uint64_t place(std::int64_t bytes) {
    const std::uint64_t address = memory->allocate(bytes);
    first = std::min(first, address);
    last = std::max(last, address + static_cast<std::uint64_t>(bytes));
    return address;
  }
  std::uint64_t operand(std::int64_t elements, DataType type) {
    const std::int64_t bytes = elements * operand_size_bytes(type);
    const std::uint64_t address = place(bytes);
    cosim::Random random(address);
    if (type == DataType::kInt8) {
      for (auto& byte : memory->elements<std::int8_t>(address, elements)) {
        byte = static_cast<std::int8_t>(random.bits());
      }
    } else {
      // Signs, exponents near 1 and fractions: what activations and weights look like.
      for (auto& word : memory->elements<std::uint16_t>(address, elements)) {
        word = static_cast<std::uint16_t>((random.bits() & 0x81ff) | 0x3e00);
      }
    }
    return address;
  }
  void product(std::int64_t rows, std::int64_t depth, std::int64_t cols,
               DataType type = DataType::kBf16) {
    products.push_back({.a = operand(rows * depth, type),
                        .b = operand(depth * cols, type),
                        .c = place(4 * rows * cols),
                        .rows = rows,
                        .depth = depth,
                        .cols = cols,
                        .type = type});
  }
  std::int64_t macs() const {
    std::int64_t sum = 0;
    for (const auto& one : products) sum += one.rows * one.depth * one.cols;
    return sum;
  }
};

/// Forward, dX and dW of 784-512-10 at a batch of 128, with bias, ReLU and its mask, and the bias
/// gradients: one step of mnist-mlp but for the loss, which is the host's.
void add_mlp_step(Workload& work) {
  constexpr std::int64_t kBatch = 128, kIn = 784, kHidden = 512, kOut = 10;
  constexpr auto kBf16 = DataType::kBf16;
  const auto x = work.operand(kBatch * kIn, kBf16);
  const auto w1 = work.operand(kIn * kHidden, kBf16);
  const auto w2 = work.operand(kHidden * kOut, kBf16);
  const auto d_y = work.operand(kBatch * kOut, kBf16);
  const auto b1 = work.place(4 * kHidden), b2 = work.place(4 * kOut);
  const auto h = work.place(2 * kBatch * kHidden), d_h = work.place(2 * kBatch * kHidden);
  work.products.push_back({.a = x,
                           .b = w1,
                           .c = h,
                           .bias = b1,
                           .rows = kBatch,
                           .depth = kIn,
                           .cols = kHidden,
                           .relu = true,
                           .format = device::StoreFormat::kBf16});
  work.products.push_back({.a = h,
                           .b = w2,
                           .c = work.place(4 * kBatch * kOut),
                           .bias = b2,
                           .rows = kBatch,
                           .depth = kHidden,
                           .cols = kOut});
  work.products.push_back({.a = d_y,
                           .b = w2,
                           .c = d_h,
                           .mask = h,
                           .rows = kBatch,
                           .depth = kOut,
                           .cols = kHidden,
                           .transpose_b = true,
                           .format = device::StoreFormat::kBf16});
  work.products.push_back({.a = h,
                           .b = d_y,
                           .c = work.place(4 * kHidden * kOut),
                           .column_sums = work.place(4 * kOut),
                           .rows = kHidden,
                           .depth = kBatch,
                           .cols = kOut,
                           .transpose_a = true});
  work.products.push_back({.a = x,
                           .b = d_h,
                           .c = work.place(4 * kIn * kHidden),
                           .column_sums = work.place(4 * kHidden),
                           .rows = kIn,
                           .depth = kBatch,
                           .cols = kHidden,
                           .transpose_a = true});
}

std::vector<std::unique_ptr<Workload>> workloads() {
  std::vector<std::unique_ptr<Workload>> all;
  const auto add = [&](std::string name, auto fill) {
    all.push_back(std::make_unique<Workload>());
    all.back()->name = std::move(name);
    fill(*all.back());
  };
  add("64^3 once", [](Workload& w) { w.product(64, 64, 64); });
  add("64^3 x 16", [](Workload& w) {
    for (int i = 0; i < 16; ++i) w.product(64, 64, 64);
  });
  add("256^3", [](Workload& w) { w.product(256, 256, 256); });
  add("512^3", [](Workload& w) { w.product(512, 512, 512); });
  add("256^3 int8", [](Workload& w) { w.product(256, 256, 256, DataType::kInt8); });
  add("mnist-mlp step", add_mlp_step);
  return all;
}

RegisterDriver open(const Options& options, const std::shared_ptr<DeviceMemory>& memory) {
  const sim::MemoryBehaviour behaviour{.latency = options.latency,
                                       .write_latency = options.latency};
  const sim::HarnessOptions harness{.monitors = false};
  auto port = options.device == "rtl"
                  ? sim::make_verilated_device(options.array_size, *memory, behaviour, harness)
                  : sim::make_native_device(options.array_size, *memory, behaviour, harness);
  return RegisterDriver(std::make_unique<sim::PortDevice>(memory, std::move(port)));
}

void run(Workload& work, const Options& options) {
  const auto commands = build_program(work.products, {.array_size = options.array_size});
  const auto bytes = std::as_bytes(std::span(commands));
  const std::uint64_t ring = work.memory->allocate(static_cast<std::int64_t>(bytes.size()));
  work.memory->write(ring, bytes);

  RegisterDriver driver = open(options, work.memory);
  const std::clock_t start = std::clock();
  const ProgramResult done =
      driver.run({.commands = commands, .ring = ring, .base = work.first, .end = work.last});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (done.fault != device::FaultCode::kNone) {
    throw std::runtime_error(fmt::format("{}: fault {} at command {}", work.name,
                                         device::kFaultNames[static_cast<std::size_t>(done.fault)],
                                         done.command));
  }
  const auto of = [&](Count count) { return done.counts[static_cast<std::size_t>(count)]; };
  const double cycles = static_cast<double>(of(Count::kCycles));
  const auto share = [&](Count count) { return 100 * static_cast<double>(of(count)) / cycles; };
  const double peak = cycles * options.array_size * options.array_size;
  fmt::print("{:<16}{:>10}{:>8.2f}{:>8.2f}{:>7.2f}{:>7.2f}{:>8.2f}{:>7.2f}{:>9.2f}{:>7}{:>8.2f}\n",
             work.name, of(Count::kCycles), 100 * static_cast<double>(work.macs()) / peak,
             share(Count::kRows), share(Count::kWaitForLoad), share(Count::kWaitForStore),
             share(Count::kWaitForWeights), share(Count::kWaitForSums),
             share(Count::kWaitForCommand), commands.size(), cycles / seconds / 1e6);
  std::fflush(stdout);
}

}  // namespace
}  // namespace systole

int main(int argc, char** argv) {
  systole::Options options;
  CLI::App app("Cycles, utilisation and stalls of the accelerator.");
  app.add_option("--device", options.device)->check(CLI::IsMember({"native", "rtl"}));
  app.add_option("--array", options.array_size)->check(CLI::IsMember({4, 8, 16}));
  app.add_option("--latency", options.latency)->check(CLI::Range(1, 1000));
  app.add_option("--only", options.only, "a workload's name");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} x {}, {} bytes a clock, latency {}, {}; per cent of the cycles\n",
             options.array_size, options.array_size, options.array_size, options.latency,
             options.device);
  fmt::print("{:<16}{:>10}{:>8}{:>8}{:>7}{:>7}{:>8}{:>7}{:>9}{:>7}{:>8}\n", "products", "cycles",
             "macs", "rows", "load", "store", "weights", "sums", "command", "cmds", "Mclk/s");
  for (const auto& work : systole::workloads()) {
    if (options.only.empty() || options.only == work->name) systole::run(*work, options);
  }
}
