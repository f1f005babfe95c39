#include "host/compiler/schedule/product_numbers.h"

#include <algorithm>

namespace systole {

std::array<std::uint64_t, 16> numbers_of(const Product& p) {
  const auto number = [](auto value) { return static_cast<std::uint64_t>(value); };
  const int types = static_cast<int>(p.type) << 8 | static_cast<int>(p.mask_type) << 4 |
                    static_cast<int>(p.format);
  const int flags = p.transpose_a << 3 | p.transpose_b << 2 | p.accumulate << 1 | p.relu << 0;
  const int scaling = p.scale << 8 | p.shift;
  return {p.a,
          p.b,
          p.c,
          p.bias,
          p.mask,
          p.column_sums,
          p.ones,
          number(p.rows),
          number(p.depth),
          number(p.cols),
          number(types),
          number(flags),
          number(scaling),
          p.seed,
          p.patches.low,
          p.patches.high};
}

FromFirstPage::FromFirstPage(std::span<const Product> products) {
  std::uint64_t lowest = ~std::uint64_t{0};
  for (Product product : products) {
    for (const std::uint64_t* address : addresses_of(product)) {
      if (*address != 0) lowest = std::min(lowest, *address);
    }
  }
  page_ = lowest / kPage * kPage;
}

Product FromFirstPage::operator()(Product product) const {
  for (std::uint64_t* address : addresses_of(product)) {
    *address = (*this)(*address);
  }
  return product;
}

}  // namespace systole
