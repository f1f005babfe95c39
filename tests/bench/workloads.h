#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "host/compiler/schedule/program_builder.h"
#include "host/device/device_memory.h"
#include "systole/cosim/random.h"

namespace systole {

/// Products with random bf16 or int8 operands in a memory of their own.
struct Workload {
  std::string name;
  std::vector<Product> products;
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
      // Random signs and fractions, exponents near 1: like activations and weights.
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
/// gradients: one step of mnist-mlp except for the loss, which is the host's.
inline void add_mlp_step(Workload& work) {
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

/// The workloads of the accelerator's benchmarks.
inline std::vector<std::unique_ptr<Workload>> workloads() {
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

}  // namespace systole
