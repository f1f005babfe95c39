#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "sim/device/program_interpreter.h"

namespace systole::tests {

/// A block of memory for programs; an access outside it, or at a chosen place, is an error.
class FlatMemory final : public ProgramMemory {
 public:
  explicit FlatMemory(std::uint64_t base, std::size_t size_bytes)
      : base_(base), bytes_(size_bytes) {}

  std::byte* locate(std::uint64_t address, std::int64_t size_bytes) override {
    const auto size = static_cast<std::uint64_t>(size_bytes);
    if (address < base_ || address - base_ + size > bytes_.size()) return nullptr;
    if (address <= bad_address && bad_address < address + size) return nullptr;
    return &bytes_[address - base_];
  }

  template <typename T>
  void put(std::uint64_t address, const std::vector<T>& elements) {
    std::memcpy(&bytes_.at(address - base_), elements.data(), elements.size() * sizeof(T));
  }
  template <typename T>
  std::vector<T> get(std::uint64_t address, std::size_t count) const {
    std::vector<T> elements(count);
    std::memcpy(elements.data(), &bytes_.at(address - base_), count * sizeof(T));
    return elements;
  }

  std::uint64_t bad_address = ~std::uint64_t{0};

 private:
  std::uint64_t base_;
  std::vector<std::byte> bytes_;
};

}  // namespace systole::tests
