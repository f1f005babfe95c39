#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "host/graph/graph.h"

namespace systole::lowering {

/// What takes the place of an operation of one result; nothing if it stays. `values` are those of
/// the new graph, by the old one's numbers, as far as they are made.
using Rule = std::function<std::optional<graph::Value>(const graph::Operation& operation,
                                                       std::span<const graph::Value> values)>;

enum class Simplifies : std::uint8_t { kNo, kIfChanged };

/// The graph with a rule applied to each operation.
std::unique_ptr<graph::Graph> rewrite(const graph::Graph& graph, const Rule& rule,
                                      Simplifies simplifies = Simplifies::kIfChanged);

}  // namespace systole::lowering
