#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "host/device/product.h"

namespace systole {

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

}  // namespace systole
