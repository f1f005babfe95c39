#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "host/graph/graph.h"

namespace systole::tests {

using Rewrite = std::function<std::unique_ptr<graph::Graph>(const graph::Graph&)>;

/// How far the numbers after a pass may be from those before.
enum class Sums : std::uint8_t {
  kExact,
  kInAnotherOrder,
  kRounded,  ///< to int8: not compared
};

/// The arguments and the results' types of a function, as text.
struct Signature {
  std::string_view arguments, results;
};

/// Checks that a pass makes `after` of `before`, the bodies of functions that
/// lowering::read_lowered reads, and that both compute the same of small whole numbers.
///
/// A failure shows what the pass has made, with a mark at the first line that differs.
void check_rewrite(const Signature& signature, std::string_view before, const Rewrite& pass,
                   std::string_view after, Sums sums = Sums::kExact);

/// Checks that a pass leaves a graph as it is.
void check_stays(const Signature& signature, std::string_view before, const Rewrite& pass);

}  // namespace systole::tests
