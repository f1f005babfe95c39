#include "host/graph/artifact/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "host/graph/attribute.h"

namespace systole::graph::artifact {
namespace {

constexpr std::uint64_t kMost = 0xffff'ffffU;
constexpr std::string_view kMoves[] = {
    "broadcast_in_dim", "concatenate", "maximum", "minimum",   "pad",          "reshape",
    "reverse",          "select",      "slice",   "transpose", "dynamic_slice"};

[[noreturn]] void refuse(std::string_view name) {
  throw GraphError(fmt::format(
      "{} of ui64 is not supported: 64 bits are for the counters of random words", name));
}

std::uint64_t bound_of_constant(const Literal& literal) {
  return static_cast<std::uint64_t>(*std::ranges::max_element(literal.values));
}

}  // namespace

Bound counter_bound(const Statement& statement, std::span<const Bound> bounds, bool is_counter) {
  const std::string_view name = statement.kind->name;
  const bool takes =
      std::ranges::any_of(bounds, [](const Bound& bound) { return bound.has_value(); });
  if (!is_counter) {
    if (takes && name != "convert" && name != "compare") refuse(name);
    return {};
  }
  const auto at = [&](std::size_t i) {
    if (i >= bounds.size() || !bounds[i]) refuse(name);
    return *bounds[i];
  };
  std::uint64_t most = 0;
  if (name == "constant") {
    const auto& literal = attribute<Literal>(statement, "value");
    most = literal.values.empty() ? 0 : bound_of_constant(literal);
  } else if (name == "iota") {
    const auto& type = attribute<Type>(statement, "type");
    const auto dimension = attribute<std::int64_t>(statement, "iota_dimension");
    if (dimension < 0 || dimension >= type.rank()) return 0;  // the graph refuses it
    most = static_cast<std::uint64_t>(
        std::max<std::int64_t>(type.shape[static_cast<std::size_t>(dimension)] - 1, 0));
  } else if (name == "convert") {
    const Element element = statement.operands.at(0).type().element;
    if (!takes && element != Element::kU32 && element != Element::kPred) refuse(name);
    most = takes ? at(0) : element == Element::kPred ? 1 : kMost;
  } else if (name == "add") {
    most = at(0) + at(1);
  } else if (name == "multiply") {
    most = at(0) * at(1);  // of two numbers of 32 bits
  } else if (name == "shift_right_logical") {
    at(1);
    most = at(0);
  } else if (name == "and") {
    most = std::min(at(0), at(1));
  } else if (name == "or" || name == "xor") {
    most = std::bit_ceil(std::max(at(0), at(1)) + 1) - 1;
  } else if (std::ranges::find(kMoves, name) != std::end(kMoves)) {
    for (const Bound& bound : bounds) most = std::max(most, bound.value_or(0));
  } else {
    refuse(name);
  }
  if (most > kMost) {
    throw GraphError(
        fmt::format("{}: a ui64 may be {}: counters below 2^32 are supported", name, most));
  }
  return most;
}

}  // namespace systole::graph::artifact
