#include "tests/host/placed_products.h"

#include <algorithm>

#include "host/compiler/schedule/program_builder.h"

namespace systole::tests {

PlacedProducts::PlacedProducts(Backend& backend, const std::vector<Product>& products)
    : commands_(build_program(products, *backend.sizes())),
      ring_(backend.memory(), std::ssize(commands_) * 16) {
  backend.memory().write(ring_.address(), std::as_bytes(std::span(commands_)));
  program.commands = commands_;
  program.ring = ring_.address();
  program.base = ~std::uint64_t{0};
  for (const Product& product : products) {
    for (const ProductSpan& span : spans(product)) {
      program.base = std::min(program.base, span.range.address);
      program.end = std::max(program.end, span.range.end());
    }
    units_.emplace_back(ProductUnit{product});
    program.macs += product.macs();
  }
  program.units = units_;
  program.multiplies = products.size();
}

void run_products(Backend& backend, const std::vector<Product>& products) {
  backend.run(PlacedProducts(backend, products).program);
}

MemoryBlock place(Backend& backend, const std::vector<std::byte>& bytes) {
  MemoryBlock block(backend.memory(), std::ssize(bytes));
  backend.memory().write(block.address(), bytes);
  return block;
}

std::vector<std::byte> read(Backend& backend, std::uint64_t address, std::int64_t size_bytes) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(size_bytes));
  backend.memory().read(address, bytes);
  return bytes;
}

}  // namespace systole::tests
