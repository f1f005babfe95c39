#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/graph/graph.h"

namespace systole::lowering {

// What rewrites are written of.
using graph::Element;
using graph::Graph;
using graph::Integers;
using graph::Operation;
using graph::Shape;
using graph::Value;

/// What takes the place of an operation of one result; nothing if it stays. `values` are those of
/// the new graph, by the old one's numbers, as far as they are made.
using Rule =
    std::function<std::optional<Value>(const Operation& operation, std::span<const Value> values)>;

enum class Simplifies : std::uint8_t { kNo, kIfChanged };

/// The graph with a rule applied to each operation.
std::unique_ptr<Graph> rewrite(const Graph& graph, const Rule& rule,
                               Simplifies simplifies = Simplifies::kIfChanged);

/// Of what may be an input, which no operation makes.
inline bool is(const Operation* operation, std::string_view name) {
  return operation != nullptr && operation->kind->name == name;
}

/// All parts combined, pairs of pairs: the steps follow each other the least.
template <typename Combine>
Value combined_in_pairs(std::vector<Value> parts, const Combine& combine) {
  for (; parts.size() > 1; parts.resize((parts.size() + 1) / 2)) {
    for (std::size_t i = 0; 2 * i < parts.size(); ++i) {
      const bool is_pair = 2 * i + 1 < parts.size();
      parts[i] = is_pair ? combine(parts[2 * i], parts[2 * i + 1]) : parts[2 * i];
    }
  }
  return parts[0];
}

}  // namespace systole::lowering
