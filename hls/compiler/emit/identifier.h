#pragma once

#include <string>

namespace systole::compiler {

/// A C++ identifier in SystemVerilog, which has only ASCII letters: "größe" ->
/// "gr_u00f6_u00dfe".
std::string identifier(const std::string& name);

}  // namespace systole::compiler
