#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hls/compiler/verilog/expression.h"

namespace systole::compiler::sv {

/// The numbers as an expression of a counter that starts at `start`: `i*a + b`; for four and more
/// `i ^ a`; for five and more a polynomial of second degree, `i*(i*a + b)/2 + c`.
std::optional<Expression> index_formula(const std::vector<std::int64_t>& values,
                                        const std::string& counter, std::int64_t start);

}  // namespace systole::compiler::sv
