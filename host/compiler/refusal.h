#pragma once

#include <string>
#include <variant>

namespace systole::lowering {

/// Why the device cannot compute a part of a graph.
struct Refusal {
  std::string why;          ///< with layer, operation and types
  bool is_a_limit = false;  ///< of a kernel's size: smaller parts may fit
};

template <typename T>
using OrRefusal = std::variant<T, Refusal>;

}  // namespace systole::lowering
