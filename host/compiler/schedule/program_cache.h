#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "host/compiler/schedule/block_plan.h"
#include "host/device/device_map.h"
#include "host/device/product.h"
#include "host/device/program_device.h"

namespace systole {

/// A built program in device memory.
struct CachedProgram {
  std::vector<Product> products;   ///< what it computes
  std::vector<ProgramUnit> units;  ///< the same
  std::vector<device::CommandWord> commands;
  std::uint64_t ring = 0;
  std::uint64_t base = 0, end = 0;  ///< all memory that it touches lies in [base, end)
};

/// Programs by their products and addresses, so that a training step is built once.
///
/// Limits   keeps up to `most_commands` commands of the most recently used programs; calls
///          `dropped` for each evicted program and, on destruction, for the rest
class ProgramCache {
 public:
  using Dropped = std::function<void(const CachedProgram&)>;

  ProgramCache(std::size_t most_commands, Dropped dropped)
      : most_commands_(most_commands), dropped_(std::move(dropped)) {}
  ~ProgramCache();
  ProgramCache(const ProgramCache&) = delete;
  ProgramCache& operator=(const ProgramCache&) = delete;

  /// The program for these products, or null.
  const CachedProgram* find(const std::vector<Product>& products);

  /// Keeps a program; the newest stays whatever its length.
  const CachedProgram& add(CachedProgram program);

  std::size_t size() const { return programs_.size(); }

 private:
  void shrink();

  std::size_t most_commands_;
  Dropped dropped_;
  std::size_t commands_ = 0;
  std::list<CachedProgram> programs_;  // most recently used first
  std::unordered_multimap<std::uint64_t, std::list<CachedProgram>::iterator> by_hash_;
};

/// Every field that Product's == compares.
std::array<std::uint64_t, 16> numbers_of(const Product& product);

/// Where a product's addresses stand; 0 for what it lacks.
inline std::array<std::uint64_t*, 7> addresses_of(Product& product) {
  return {&product.a,    &product.b,           &product.c,   &product.bias,
          &product.mask, &product.column_sums, &product.ones};
}

/// A place in memory relative to the 4 KiB page of the lowest address, of products' unless it is
/// given. Products that are moved together by whole pages have the same numbers, plans and, so
/// placed, results.
class FromFirstPage {
 public:
  explicit FromFirstPage(std::span<const Product> products);
  explicit FromFirstPage(std::uint64_t lowest) : page_(lowest / kPage * kPage) {}

  /// 0, which stands for none, stays 0, and no other becomes it.
  std::uint64_t operator()(std::uint64_t address) const {
    return address == 0 ? 0 : address - page_ + kPage;
  }
  Product operator()(Product product) const;

 private:
  static constexpr std::uint64_t kPage = 4096;
  std::uint64_t page_;
};

/// A hash of numbers_of all products.
std::uint64_t hash_of(const std::vector<Product>& products);

}  // namespace systole
