#pragma once

#include <cstddef>
#include <vector>

#include "hls/compiler/frontend/layout.h"

namespace systole::compiler {

/// An element of a value in memory: its leaf and its first bit.
struct Part {
  std::size_t leaf = 0;
  std::size_t low = 0;
};

/// Every element of every leaf, in order.
std::vector<Part> parts_of(const std::vector<Leaf>& leaves);

}  // namespace systole::compiler
