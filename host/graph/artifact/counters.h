#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/graph/statement.h"

namespace systole::graph::artifact {

/// The largest number that a value of 64 bits without a sign may be; nothing for other values.
using Bound = std::optional<std::uint64_t>;

/// JAX counts random words in ui64 (jax_threefry_partitionable): an iota, multiplied, added and
/// shifted. Such a counter is a value of ui32 here, and its bound shows that it fits.
///
/// Returns the bound of a statement's result; `bounds` are the operands'.
///
/// Errors   GraphError where a result may be 2^32 or more, or another operation makes or takes ui64
Bound counter_bound(const Statement& statement, std::span<const Bound> bounds, bool is_counter);

}  // namespace systole::graph::artifact
