#pragma once

#include <cstdint>
#include <vector>

#include "host/device/backend.h"

namespace systole::tests {

/// Products as one program of commands, in a device's memory. Each sees what earlier ones wrote.
///
/// Limits   the backend runs programs and outlives it
class PlacedProducts {
 public:
  PlacedProducts(Backend& backend, const std::vector<Product>& products);

  /// Its window is all that the products touch.
  PlacedProgram program;

 private:
  std::vector<device::CommandWord> commands_;
  std::vector<ProgramUnit> units_;
  MemoryBlock ring_;
};

void run_products(Backend& backend, const std::vector<Product>& products);

/// A block that holds these bytes.
MemoryBlock place(Backend& backend, const std::vector<std::byte>& bytes);

std::vector<std::byte> read(Backend& backend, std::uint64_t address, std::int64_t size_bytes);

}  // namespace systole::tests
