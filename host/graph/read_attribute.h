#pragma once

#include "host/graph/scanner.h"

namespace systole::graph {

/// An attribute in the form that its operation states; print.cpp writes them so.
///
/// Errors   GraphError with line and column
Attribute read_attribute(Scanner& in, const AttributeSpec& spec);

}  // namespace systole::graph
