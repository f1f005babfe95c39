#pragma once

#include <string>

namespace systole::compiler {

/// A C++ identifier as one of SystemVerilog, which has no letters beyond ASCII: "größe" ->
/// "gr_u00f6_u00dfe".
std::string identifier(const std::string& name);

}  // namespace systole::compiler
