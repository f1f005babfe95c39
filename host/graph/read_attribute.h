#pragma once

#include "host/graph/scanner.h"

namespace systole::graph {

/// Reads an attribute in its operation's form, as print.cpp writes it.
///
/// Errors   GraphError with line and column
Attribute read_attribute(Scanner& in, const AttributeSpec& spec);

/// [b, 0, f]x[0, i, o]->[b, 0, f]
std::string read_convolution_dimensions(Scanner& in);

}  // namespace systole::graph
