#pragma once

#include "host/graph/scanner.h"

namespace systole::graph {

/// Reads an attribute in its operation's form, as print.cpp writes it.
///
/// Errors   GraphError with line and column
Attribute read_attribute(Scanner& in, const AttributeSpec& spec);

}  // namespace systole::graph
