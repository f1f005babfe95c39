#include "host/compiler/schedule/accelerator_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/compiler/schedule/known_plans.h"
#include "host/compiler/schedule/program_builder.h"
#include "host/device/element_size.h"

namespace systole {
namespace {

/// Widens [base, end) to everything that a product touches.
void widen(const Product& product, std::uint64_t& base, std::uint64_t& end) {
  const auto add = [&](std::uint64_t address, std::int64_t rows, std::int64_t cols,
                       std::int64_t element_bytes) {
    if (address == 0) return;
    base = std::min(base, address);
    end = std::max(end, address + static_cast<std::uint64_t>(rows * cols * element_bytes));
  };
  const std::int64_t element = operand_size_bytes(product.type);
  add(product.a, product.rows, product.depth, element);
  add(product.b, product.depth, product.cols, element);
  add(product.c, product.rows, product.cols, stored_bytes(product.format));
  add(product.mask, product.rows, product.cols, operand_size_bytes(product.mask_type));
  add(product.bias, 1, product.cols, kSumSizeBytes);
  add(product.column_sums, 1, product.cols, kSumSizeBytes);
}

std::string describe(const ProgramResult& result, std::span<const Product> products) {
  const auto code = static_cast<std::size_t>(result.fault);
  std::string_view name = "unknown";
  if (code < device::kFaultNames.size()) name = device::kFaultNames[code];
  std::string text = fmt::format("device fault: {} (code {}) at command {}, address {:#x}, in ",
                                 name, code, result.command, result.address);
  if (products.empty()) return text + "a program of compiled steps";
  if (products.size() == 1) return text + describe(products[0]);
  return text + fmt::format("a program of {} products, the first {}", products.size(),
                            describe(products[0]));
}

}  // namespace

AcceleratorBackend::AcceleratorBackend(DeviceInfo info, std::unique_ptr<ProgramDevice> device,
                                       const BufferOptions& buffers)
    : info_(std::move(info)), device_(std::move(device)) {
  const DeviceShape shape = device_->shape();
  info_.array_size = shape.array_size;
  sizes_ = {.array_size = shape.array_size,
            .bank_rows = std::min<std::int64_t>(shape.bank_rows, buffers.bank_rows),
            .bank_stride = shape.bank_rows,
            .row_words = std::min<std::int64_t>(shape.row_words, buffers.row_words),
            .weight_words = std::min<std::int64_t>(shape.weight_words, buffers.weight_words),
            .mask_words = std::min<std::int64_t>(shape.mask_words, buffers.mask_words),
            .bus_bytes = shape.bus_bytes};
}

void AcceleratorBackend::build(std::span<const Product> products) {
  Built program{.commands = build_program(products, sizes_, known_plans(products, sizes_, disk_)),
                .base = ~std::uint64_t{0}};
  program.products.assign(products.begin(), products.end());
  for (const Product& product : products) {
    widen(product, program.base, program.end);
    program.units.push_back(ProductUnit{product});
  }
  built_ = std::move(program);
}

void AcceleratorBackend::run(const PlacedProgram& program) { run(program, {}); }

void AcceleratorBackend::run(const PlacedProgram& program, std::span<const Product> products) {
  if (watcher_) watcher_(program, device_->memory());
  const ProgramResult result = device_->run(program);
  for (std::size_t i = 0; i < result.counts.size(); ++i) counters_.counts[i] += result.counts[i];
  ++counters_.programs;
  if (result.fault != device::FaultCode::kNone) throw DeviceError(describe(result, products));
  counters_.products += program.multiplies;
  counters_.macs += program.macs;
}

void AcceleratorBackend::execute(std::span<const Product> products) {
  if (!std::ranges::equal(products, built_.products)) build(products);
  Memory& memory = device_->memory();
  const std::uint64_t ring = memory.allocate(std::ssize(built_.commands) * 16);
  const auto free = [&](Memory* from) { from->free(ring); };
  const std::unique_ptr<Memory, decltype(free)> freed(&memory, free);
  memory.write(ring, std::as_bytes(std::span(built_.commands)));
  PlacedProgram placed{.commands = built_.commands,
                       .ring = ring,
                       .base = built_.base,
                       .end = built_.end,
                       .units = built_.units,
                       .multiplies = products.size()};
  for (const Product& product : products) placed.macs += product.macs();
  run(placed, products);
}

}  // namespace systole
