#pragma once

#include "host/graph/scanner.h"

namespace systole::graph {

/// Reads an attribute in its operation's form, as print.cpp writes it.
///
/// Errors   GraphError with line and column
Attribute read_attribute(Scanner& in, const AttributeSpec& spec);

/// The value of an element with these bits.
double value_of(Element element, std::uint32_t bits);

/// [b, 0, f]x[0, i, o]->[b, 0, f]
std::string read_convolution_dimensions(Scanner& in);

}  // namespace systole::graph
