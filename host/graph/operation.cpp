#include "host/graph/operation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "host/graph/operations/operations.h"

namespace systole::graph {
namespace {

float round_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return value;
  return std::bit_cast<float>((bits + 0x7fffU + (bits >> 16 & 1U)) & 0xffff'0000U);
}

// Modulo 2^32, for any finite value.
std::uint32_t wrap(double value) {
  if (!std::isfinite(value)) return 0;
  const double rest = std::fmod(std::trunc(value), 0x1p32);
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(rest));
}

}  // namespace

bool Literal::operator==(const Literal& other) const {
  return type == other.type &&
         std::ranges::equal(values, other.values, {}, std::bit_cast<std::uint64_t, double>,
                            std::bit_cast<std::uint64_t, double>);
}

double round_to(Element element, double value) {
  switch (element) {
    case Element::kF32:
      return static_cast<float>(value);
    case Element::kBf16:
      return round_to_bf16(static_cast<float>(value));
    case Element::kS32:
      return static_cast<std::int32_t>(wrap(value));
    case Element::kU32:
      return wrap(value);
    case Element::kS8:
      return static_cast<std::int8_t>(wrap(value));
    case Element::kU8:
      return static_cast<std::uint8_t>(wrap(value));
    case Element::kPred:
      return value != 0 ? 1 : 0;
  }
  return value;
}

const Integers& Dimensions::operator[](std::string_view name) const {
  static const Integers kNone;
  const auto found = std::ranges::find(lists, name, [](const auto& list) { return list.first; });
  return found == lists.end() ? kNone : found->second;
}

void Call::need_elements(std::size_t operand, bool holds, std::string_view what) const {
  need(holds, "operand {} is {}, not {}", operand, to_string(operands[operand].element), what);
}

std::string Call::error(std::string_view what) const {
  std::vector<std::string> types;
  for (const Type& type : operands) types.push_back(to_string(type));
  return fmt::format("{}{}{}({}): {}", scope, scope.empty() ? "" : ": ", kind.name,
                     fmt::join(types, ", "), what);
}

const Attribute& Call::find(std::string_view name) const {
  const auto found = std::ranges::find(kind.attributes, name, &AttributeSpec::name);
  if (found == kind.attributes.end()) fail("has no attribute {}", name);
  return attributes[found - kind.attributes.begin()];
}

std::span<const OperationKind* const> all_kinds() {
  static const std::vector<const OperationKind*> kAll = [] {
    std::vector<const OperationKind*> kinds;
    for (const auto group :
         {elementwise_kinds(), word_kinds(), shape_kinds(), part_kinds(), product_kinds(),
          reduction_kinds(), window_kinds(), indexing_kinds(), random_kinds()}) {
      for (const OperationKind& kind : group) kinds.push_back(&kind);
    }
    return kinds;
  }();
  return kAll;
}

const OperationKind& find_kind(std::string_view name) {
  for (const OperationKind* kind : all_kinds()) {
    if (kind->name == name) return *kind;
  }
  throw GraphError(fmt::format("unknown operation '{}'", name));
}

}  // namespace systole::graph
