#include "hls/compiler/emit/reference.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <vector>

#include "hls/compiler/verilog/statement.h"

namespace systole::compiler {

sv::Expression expression_of(const Reference& reference) {
  if (reference.offset == 0 && reference.width == reference.base_width) return reference.base;
  return slice_of(reference, reference.width - 1, 0);
}

/// A slice of a signal that has only bits [dropped, dropped + base_width) of its value.
static sv::Expression kept_bits(const Reference& reference, unsigned high, unsigned low) {
  const unsigned top = std::min(high, reference.dropped + reference.base_width - 1);
  const unsigned bottom = std::max(low, reference.dropped);
  if (top < bottom || bottom > high) return sv::zeros(high - low + 1);
  const Reference kept{reference.base, 0, reference.base_width, reference.base_width};
  std::vector<sv::Expression> parts;
  if (high > top) parts.push_back(sv::zeros(high - top));
  parts.push_back(slice_of(kept, top - reference.dropped, bottom - reference.dropped));
  if (bottom > low) parts.push_back(sv::zeros(bottom - low));
  return sv::concatenation(parts);
}

sv::Expression slice_of(const Reference& reference, unsigned high, unsigned low) {
  if (reference.dropped > 0 || reference.width > reference.base_width) {
    return kept_bits(reference, high, low);
  }
  const sv::Expression& base = reference.base;
  if (base.is(sv::Expression::Kind::kBinary)) {  // a loop's counter and a step
    return low == 0 ? sv::cast(high + 1, base)
                    : sv::cast(high - low + 1, sv::binary(base, ">>", sv::plain_number(low)));
  }
  return sv::slice(base, reference.offset + high, reference.offset + low, reference.base_width,
                   reference.unit);
}

unsigned bits_of(const Leaf& leaf) { return static_cast<unsigned>(leaf.width * leaf.elements()); }

std::string logic_type(const Leaf& leaf) { return sv::logic_type(bits_of(leaf)); }

Reference element_of(const sv::Expression& signal, const Leaf& leaf, std::int64_t element) {
  return {.base = signal,
          .offset = static_cast<unsigned>(element) * leaf.width,
          .width = leaf.width,
          .base_width = bits_of(leaf),
          .unit = unit_of(leaf.width, leaf.elements())};
}

unsigned unit_of(unsigned width, std::int64_t elements) {
  return width > 1 && elements > 1 ? width : 0;
}

unsigned array_size(std::int64_t elements) {
  return static_cast<unsigned>(llvm::PowerOf2Ceil(static_cast<std::uint64_t>(elements)));
}

}  // namespace systole::compiler
