#pragma once

#include <string_view>

#include "host/graph/operation.h"

namespace systole::graph {

/// An attribute of an operation or a statement, by the name that its kind has for it.
///
/// Errors   GraphError if the kind has none of this name and form
template <typename T, typename Operation>
const T& attribute(const Operation& operation, std::string_view name) {
  return Call{.kind = *operation.kind, .attributes = operation.attributes, .operands = {}}
      .template get<T>(name);
}

}  // namespace systole::graph
